@_spi(Adapters) internal import FaradayCore
internal import FaradaySupport

/// Makes the responses of recorded exchanges.
struct Replay: Sendable {
  /// The path of the cassette, for errors.
  let path: String
  /// The folder of the large bodies.
  let folder: String
  /// Whether a cassette has written the archive. The export of a browser has decoded bodies beside the fields of encoded ones.
  let isOwn: Bool
  let pace: Cassette.Pace
  let clock: any Clock<Duration>

  /// The recorded response to a request. Throws the recorded error if there was no response.
  func response(of entry: HAR.Entry, to request: Request) async throws -> Response {
    for interim in entry._informational ?? [] {
      guard let status = Self.status(interim.status) else { continue }
      request.options.onInformational?(HTTPResponse(status: status, headerFields: interim.headers.fields))
    }
    let failure = entry._failure.map { Self.ending($0, request) }
    guard let status = Self.status(entry.response.status) else {
      try await failure?()
      throw TransportError(
        .connectionFailed, phase: .connecting, method: request.method, url: request.url, secrets: request.secrets,
        message: "the recording in \(path) has no response")
    }
    var headers = (entry.response.headers ?? []).fields
    if !isOwn, headers.contains(.contentEncoding) {
      headers[.contentEncoding] = nil
      headers[.contentLength] = nil
    }
    var response = Response(
      status: status, headers: headers, trailers: (entry.response._trailers ?? []).fields, url: request.url,
      version: Self.version(entry.response.httpVersion))
    guard request.method != .head else {
      try await failure?()
      return response
    }
    let content = entry.response.content
    let whole = try body(
      text: content?.text, encoding: content?.encoding, file: content?._file, for: request)
    let pieces = entry.response._pieces ?? []
    let waits = pace == .recorded && pieces.contains { $0.wait > 0 }
    let isPlain = failure == nil && !waits && (pieces.count <= 1 || request.options.deliversWhole)
    response.body = isPlain && whole.data != nil ? whole : replayed(whole, pieces, failure, Self.length(headers, whole))
    return response
  }

  /// The request's recorded body.
  func body(of request: HAR.Request) throws -> Data {
    guard let content = request.postData else { return Data() }
    if let file = content._file {
      let place = try place(of: file, for: nil)
      do { return try PrivateFile.read(place, limit: Cassette.maximumSize) } catch { throw unreadable(error.reason, nil) }
    }
    return try data(content.text, content._encoding, for: nil)
  }

  private func body(text: String?, encoding: String?, file: String?, for request: Request) throws -> Body {
    guard let file else { return .data(try data(text, encoding, for: request)) }
    let place = try place(of: file, for: request)
    do { return try .file(place) } catch { throw unreadable("\(error)", request) }
  }

  private func data(_ text: String?, _ encoding: String?, for request: Request?) throws -> Data {
    guard let text else { return Data() }
    guard encoding?.lowercased() == "base64" else { return Data(text.utf8) }
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw unreadable("a body is not base64", request)
    }
    return data
  }

  /// The path of a file with a body: in the folder, whatever the archive says.
  private func place(of file: String, for request: Request?) throws -> String {
    guard !file.isEmpty, file != ".", file != "..", !file.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
      throw unreadable("the name of a body's file is not the name of a file", request)
    }
    return folder + "/" + file
  }

  private func unreadable(_ text: String, _ request: Request?) -> CassetteError {
    CassetteError(.unreadable(text), path: path, request: request)
  }

  /// The body in its recorded pieces, with their pauses, and at its end the recorded error.
  private func replayed(
    _ whole: Body, _ pieces: [HAR.Piece], _ failure: (@Sendable () async throws -> Void)?, _ length: Int64?
  ) -> Body {
    .reading(length: failure == nil ? length : nil) { [pace, clock] in
      var source = whole.makeAsyncIterator()
      var rest = Data()
      var left = pieces.filter { $0.size > 0 }[...]
      return {
        try Task.checkCancellation()
        let piece = left.popFirst()
        if let piece, pace == .recorded, piece.wait > 0 {
          try await clock.sleep(for: .clamped(seconds: piece.wait / 1000))
        }
        let wanted = piece?.size ?? .max
        while rest.count < wanted, let more = try await source.next(isolation: #isolation) {
          rest.append(more)
          if piece == nil { break }
        }
        guard !rest.isEmpty else {
          try await failure?()
          return nil
        }
        let taken = rest.prefix(wanted)
        rest = rest.dropFirst(taken.count)
        return taken
      }
    }
  }

  private static func length(_ headers: HTTPFields, _ body: Body) -> Int64? {
    headers.contains(.contentLength) && !headers.contains(.contentEncoding) ? body.length : nil
  }

  private static func status(_ code: Int) -> HTTPResponse.Status? {
    (100...999).contains(code) ? HTTPResponse.Status(code: code) : nil
  }

  private static func version(_ text: String?) -> HTTPVersion {
    switch text?.lowercased() {
    case "http/1.0": .http1_0
    case "http/2", "http/2.0", "h2": .http2
    case "http/3", "http/3.0", "h3": .http3
    default: .http1_1
    }
  }

  /// What ends an exchange that has failed: it throws the recorded error, or waits for the cancellation.
  private static func ending(_ failure: HAR.Failure, _ request: Request) -> @Sendable () async throws -> Void {
    if failure.code == HAR.Failure.cancelled { return waitForCancellation }
    let error = TransportError(
      TransportError.Code(rawValue: failure.code), phase: TransportError.Phase(rawValue: failure.phase) ?? .receiving,
      method: request.method, url: request.url, secrets: request.secrets, message: failure.message)
    return { throw error }
  }
}
