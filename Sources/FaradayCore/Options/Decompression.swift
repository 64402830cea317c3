internal import FaradayContentCoding

/// Response decompression: sends `Accept-Encoding: gzip, deflate` (and `br` with the package's trait `Brotli`), and decodes the
/// body while it is read.
///
/// A request that has its own `Accept-Encoding` keeps it. One with a `Range` asks for no coding, as a part of an encoded body
/// cannot be decoded. The response is decoded whenever it is encoded (RFC 9110, section 8.4), with up to four nested codings; a
/// body in an unknown coding is left as it is. The header fields are not changed: `Content-Encoding` names what was decoded, and
/// `Content-Length` counts the encoded bytes.
///
/// A body that is truncated, has a wrong checksum, or has bytes behind its end throws ``TransportError/Code/decompressionFailed``;
/// only raw deflate and br have no checksum. Both limits protect from decompression bombs: beyond either, reading throws
/// ``TransportError/Code/decompressionLimit``. Decoding needs about 110 KiB of memory per coding, and br up to 16 MiB more.
public struct Decompression: Sendable, Hashable {
  /// The maximum size of the decoded body, in bytes. 1 GiB by default. Buffered delivery has ``Options/maximumBodySize`` as well.
  public var maximumSize: Int64
  /// The maximum of decoded bytes per encoded byte, checked when more than 1 MiB has been decoded. 200 by default.
  public var maximumRatio: Int64

  /// Decompression with limits.
  public init(maximumSize: Int64 = 1 << 30, maximumRatio: Int64 = 200) {
    self.maximumSize = maximumSize
    self.maximumRatio = maximumRatio
  }

  /// Decompression with the default limits.
  public static let standard = Decompression()

  /// The decoded size below which the ratio is not checked: a short run of equal bytes is harmless.
  package static let ratioFloor: Int64 = 1 << 20
}

extension Request {
  /// The request with an `Accept-Encoding` of the codings that ``Response/decoded(for:)`` decodes, if ``Options/decompression`` is
  /// set and it has no `Accept-Encoding` of its own: `gzip, deflate`, and `br` with the package's trait `Brotli`.
  ///
  /// One with a `Range` gets `identity`: a range is one of the encoded bytes (RFC 9110, section 14.2), and a part from the middle
  /// of them cannot be decoded.
  package func acceptingCodings() -> Request {
    guard options.decompression != nil, !headers.contains(.acceptEncoding) else { return self }
    var request = self
    request.headers[.acceptEncoding] = headers.contains(.range) ? "identity" : ContentCoding.accepted
    return request
  }
}

extension Response {
  /// Whether it has a `Content-Encoding` that this build cannot decode. `none`, which some servers send, is no coding.
  package var hasUnknownCoding: Bool {
    ContentCoding.list(headers[values: .contentEncoding].filter { $0 != "none" }) == nil
  }

  /// The response with a body that decodes its `Content-Encoding` while it is read, in constant memory, if the request has
  /// ``Options/decompression``.
  ///
  /// Errors are thrown by reading the body, not here, so that the head can be used whatever the body is:
  /// ``TransportError/Code/decompressionFailed`` for malformed or truncated data, ``TransportError/Code/decompressionLimit`` beyond
  /// a limit; the encoded body is then dropped. Each piece is decoded in the task that reads, as soon as its bytes have arrived. A
  /// body in an unknown coding is left as it is, and so is a response without content: to a HEAD, 204 and 304.
  package func decoded(for request: Request) -> Response {
    guard let limits = request.options.decompression, request.method != .head, status != .noContent, status != .notModified,
      body.length != 0, let codings = ContentCoding.list(headers[values: .contentEncoding]), !codings.isEmpty
    else { return self }
    return decoding(codings, limits, for: request)
  }

  /// The response with a body that decodes these codings while it is read.
  func decoding(_ codings: [ContentCoding], _ limits: Decompression, for request: Request) -> Response {
    // Captures these three and not the request, whose body may be large.
    let (method, url, secrets) = (request.method, request.url, request.secrets)
    let decoded = DecodedBody(encoded: body, codings: codings, limits: limits) { error in
      TransportError(
        error.code, phase: .receiving, method: method, url: url, secrets: secrets, message: "\(error)")
    }
    var response = self
    response.body = decoded.inMemory() ?? .stream(decoded, isReplayable: body.isReplayable)
    return response
  }
}

/// A body that is decoded while it is read. It can be read as often as the encoded one.
private struct DecodedBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let encoded: Body
  let codings: [ContentCoding]
  let limits: Decompression
  let failure: @Sendable (ContentDecodingError) -> TransportError

  func makeAsyncIterator() -> Iterator {
    Iterator(encoded: encoded.makeAsyncIterator(), decoder: makeDecoder(), failure: failure)
  }

  private func makeDecoder() -> ContentDecoder {
    ContentDecoder(
      codings,
      limits: .init(
        size: limits.maximumSize, ratio: limits.maximumRatio, ratioFloor: Decompression.ratioFloor))
  }

  /// The decoded body, if the encoded one is in memory and decodes to a single piece. An error here occurs again when it is read.
  func inMemory() -> Body? {
    guard let data = encoded.data, data.count <= ContentDecoder.pieceSize else { return nil }
    let decoder = makeDecoder()
    decoder.feed(data)
    decoder.finish()
    guard let whole = try? decoder.next() ?? Data(), let end = try? decoder.next() == nil, end else { return nil }
    return .data(whole)
  }

  struct Iterator: AsyncIteratorProtocol {
    /// Nil after its end, and after an error.
    private var encoded: Body.AsyncIterator?
    private let decoder: ContentDecoder
    private let failure: @Sendable (ContentDecodingError) -> TransportError

    init(
      encoded: Body.AsyncIterator, decoder: ContentDecoder, failure: @escaping @Sendable (ContentDecodingError) -> TransportError
    ) {
      (self.encoded, self.decoder, self.failure) = (encoded, decoder, failure)
    }

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      while true {
        try Task.checkCancellation()
        do throws(ContentDecodingError) {
          if let piece = try decoder.next() { return piece }
        } catch {
          encoded = nil
          throw failure(error)
        }
        guard encoded != nil else { return nil }
        do {
          if let piece = try await encoded?.next(isolation: isolation) {
            decoder.feed(piece)
          } else {
            encoded = nil
            decoder.finish()
          }
        } catch {
          encoded = nil
          throw error
        }
      }
    }
  }
}

extension ContentDecodingError {
  fileprivate var code: TransportError.Code {
    switch self {
    case .malformed, .truncated, .tooManyCodings: .decompressionFailed
    case .tooLarge, .tooDense: .decompressionLimit
    case .outOfMemory: .engineFailed
    }
  }
}
