public import FaradayCore

/// Responses for a ``MockAdapter`` and a ``MockServer``. Over a mock adapter, a response without a URL has the URL of its request.
extension Response {
  /// A response with a status, and optionally a body.
  public static func status(
    _ status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:]
  ) -> Response {
    var response = Response(status: status, headers: headers, body: body, trailers: trailers, url: unsetURL)
    if let type = body.contentType, headers[.contentType] == nil { response.headers[.contentType] = type }
    return response
  }

  /// A response with a value as JSON, with its members sorted by name. A value that cannot be encoded fails the request.
  public static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return .status(status, headers: headers, body: .data(try encoder.encode(value), contentType: .json))
    } catch {
      return .failure(error)
    }
  }

  /// A response with text in UTF-8, by default `text/plain`.
  public static func text(
    _ text: String, type: MediaType = .text, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    .status(status, headers: headers, body: .data(Data(text.utf8), contentType: type))
  }

  /// A response with a file's bytes, by default `application/octet-stream`. A file that cannot be read fails the request.
  public static func file(
    _ file: some FileReference, type: MediaType = .binary, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    do {
      var response = Response.status(status, headers: headers, body: try .file(file))
      if headers[.contentType] == nil { response.headers[.contentType] = type.description }
      return response
    } catch {
      return .failure(error)
    }
  }

  /// A redirect to a URL or path.
  public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Response {
    guard let field = try? HTTPFields(checking: ["Location": location]) else {
      return .failure(InvalidLocation(description: "the location of a redirect is not the value of a field"))
    }
    return .status(status, headers: field)
  }

  /// A response in pieces, of unknown length: each is a chunk of HTTP/1.1.
  ///
  /// - Parameters:
  ///   - pause: the time before each piece but the first.
  ///   - trailers: the fields after the last chunk.
  ///   - clock: for the pauses.
  public static func pieces(
    _ pieces: [String], every pause: Duration = .zero, type: MediaType = .text, trailers: HTTPFields = [:],
    clock: any Clock<Duration> = ContinuousClock()
  ) -> Response {
    let body = Body.reading(length: nil, isReplayable: true) {
      var index = 0
      return {
        guard index < pieces.count else { return nil }
        if index > 0, pause > .zero { try await clock.sleep(for: pause) }
        index += 1
        return Data(pieces[index - 1].utf8)
      }
    }
    return .status(.ok, headers: [.contentType: type.description], body: body, trailers: trailers)
  }

  /// An event stream (server-sent events) with these texts as the data of its events.
  ///
  /// - Parameter pause: the time before each event but the first.
  public static func events(
    _ texts: [String], every pause: Duration = .zero, clock: any Clock<Duration> = ContinuousClock()
  ) -> Response {
    let events = texts.map { text in
      text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { "data: \($0)\n" }.joined() + "\n"
    }
    return .pieces(events, every: pause, type: MediaType("text", "event-stream"), clock: clock)
  }

  /// No response, but an error: a mock adapter throws it, and a mock server closes the connection.
  public static func failure(_ error: any Error) -> Response {
    Response.status(.internalServerError).behaving { behavior in behavior.failure = { _ in error } }
  }

  /// No response, but a ``TransportError`` with this code: a mock adapter throws it, and a mock server closes the connection.
  public static func failure(
    _ code: TransportError.Code, phase: TransportError.Phase = .receiving, message: String = "a mocked failure"
  ) -> Response {
    Response.status(.internalServerError).behaving { behavior in
      behavior.failure = { request in
        TransportError(
          code, phase: phase, method: request.method, url: request.url, secrets: request.secrets, message: message)
      }
    }
  }

  // MARK: how it is sent

  /// The response after this time.
  public func delayed(by duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Response {
    behaving { $0.delay = { try await clock.sleep(for: duration) } }
  }

  /// The response after an informational (1xx) one.
  public func informational(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Response {
    behaving { $0.informational.append(HTTPResponse(status: status, headerFields: headers)) }
  }

  /// The response with its body slowed down to this rate.
  public func throttled(toBytesPerSecond rate: Int, clock: any Clock<Duration> = ContinuousClock()) -> Response {
    var response = self
    let rate = max(1, rate)
    let body = body
    response.body = .reading(length: body.length) {
      var source = body.makeAsyncIterator()
      var rest = Data()
      return {
        while rest.isEmpty {
          guard let more = try await source.next(isolation: #isolation) else { return nil }
          rest = more
        }
        let piece = rest.prefix(max(1, rate / 10))
        rest = rest.dropFirst(piece.count)
        try await clock.sleep(for: .seconds(piece.count) / rate)
        return piece
      }
    }
    return response
  }

  /// The response, whose connection is closed after this number of bytes of the body; nil closes it without a head.
  public func cut(after count: Int?) -> Response { behaving { $0.fault = (.cut, count) } }

  /// The response, whose connection is reset (RST) after this number of bytes of the body; nil resets it without a head.
  public func reset(after count: Int?) -> Response { behaving { $0.fault = (.reset, count) } }

  /// The response, of which nothing follows after this number of bytes of the body; nil sends no head. It ends when the client
  /// closes the connection, or the task of a mock adapter's request is cancelled.
  public func stalled(after count: Int?) -> Response { behaving { $0.fault = (.stall, count) } }

  /// These bytes instead of a response, and the end of the connection: for what is not HTTP.
  public static func garbage(_ bytes: String) -> Response {
    Response.status(.ok).behaving { $0.garbage = bytes }
  }
}

/// Waits until the task is cancelled, and throws `CancellationError`.
@Sendable func waitForCancellation() async throws { try await Task.sleep(for: Duration.seconds(Int64.max).withinClocks) }

private struct InvalidLocation: Error, CustomStringConvertible { let description: String }

/// How a mock sends a response, beyond what a response says.
struct MockBehavior: Sendable {
  enum Fault: Sendable { case cut, reset, stall }

  var delay: (@Sendable () async throws -> Void)?
  var informational: [HTTPResponse] = []
  var failure: (@Sendable (Request) -> any Error)?
  var fault: (kind: Fault, count: Int?)?
  var garbage: String?
}

extension Response {
  private enum Key: ResponseKey { typealias Value = MockBehavior }

  /// A file URL, which no response of a transport has.
  private static let unsetURL = URL(filePath: "/")

  var behavior: MockBehavior { self[Key.self] ?? MockBehavior() }

  private func behaving(_ change: (inout MockBehavior) -> Void) -> Response {
    var (response, behavior) = (self, behavior)
    change(&behavior)
    response[Key.self] = behavior
    return response
  }

  /// The response as a mock adapter returns it. Throws its failure.
  func mocked(for request: Request) async throws -> Response {
    var response = self
    if response.url.isFileURL { response.url = request.url }
    guard self[Key.self] != nil else { return response }
    let behavior = behavior
    try await behavior.delay?()
    if let failure = behavior.failure { throw failure(request) }
    for interim in behavior.informational { request.options.onInformational?(interim) }
    func error(_ code: TransportError.Code, _ message: String) -> TransportError {
      TransportError(
        code, phase: .receiving, method: request.method, url: request.url, secrets: request.secrets, message: message)
    }
    if behavior.garbage != nil { throw error(.malformedResponse, "the response is not HTTP") }
    response[Key.self] = nil
    guard let (kind, count) = behavior.fault else { return response }
    let end: @Sendable () async throws -> Void =
      switch kind {
      case .cut where count == nil: { [error = error(.connectionClosed, "the connection was closed")] in throw error }
      case .cut: { [error = error(.truncatedResponse, "the response was cut")] in throw error }
      case .reset: { [error = error(.receiveFailed, "the connection was reset")] in throw error }
      case .stall: waitForCancellation
      }
    guard let count else {
      try await end()
      return response
    }
    response.body = response.body.ending(after: count, end)
    return response
  }
}

extension Body {
  /// The first bytes of the body, and then what the closure does: it throws.
  func ending(after count: Int, _ end: @escaping @Sendable () async throws -> Void) -> Body {
    .reading(length: length) { [self] in
      var source = makeAsyncIterator()
      var left = count
      return {
        guard left > 0, let piece = try await source.next(isolation: #isolation) else {
          try await end()
          return nil
        }
        let taken = piece.prefix(left)
        left -= taken.count
        return taken
      }
    }
  }
}
