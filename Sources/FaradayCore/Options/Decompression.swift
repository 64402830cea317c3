internal import FaradayContentCoding

/// Asks for a compressed response, gzip or deflate (and br with the package's trait `Brotli`), and decodes it as it is read.
///
/// A request that has an `Accept-Encoding` of its own keeps it, and one with a `Range` asks for no coding, as a part of what is encoded
/// cannot be decoded. The response is decoded all the same if it comes encoded (RFC 9110, section 8.4); up to four codings one on
/// top of the other are undone, and a body in a coding that is not known stays as it came. The header fields stay as they were
/// received: `Content-Encoding` names what was decoded and `Content-Length`, if any, counts the encoded bytes.
///
/// A body that is not at the end of its coding when it is at its own end fails, with ``TransportError/Code/decompressionFailed``, as
/// does one with a wrong checksum, or with bytes behind its coding; only bare deflate data and br have no checksum. Both limits guard
/// against a small response that grows without end; over either reading it fails with
/// ``TransportError/Code/decompressionLimit``. Decoding takes about 110 KiB for each coding, and br up to 16 MiB more.
public struct Decompression: Sendable, Hashable {
  /// The largest decoded body, in bytes. 1 GiB by default. (Buffered delivery has ``Options/maximumBodySize`` besides.)
  public var maximumSize: Int64
  /// The most decoded bytes per encoded byte, looked at once the body is over 1 MiB. 200 by default.
  public var maximumRatio: Int64

  public init(maximumSize: Int64 = 1 << 30, maximumRatio: Int64 = 200) {
    self.maximumSize = maximumSize
    self.maximumRatio = maximumRatio
  }

  /// Decodes within the default limits.
  public static let standard = Decompression()

  /// The decoded size below which the ratio is not looked at: a short run of equal bytes is no attack.
  package static let ratioFloor: Int64 = 1 << 20
}

extension Request {
  /// The request, asking for the content codings that ``Response/decoded(for:)`` undoes, if it wants them decoded and has no
  /// `Accept-Encoding` of its own: `gzip, deflate`, and `br` with the package's trait `Brotli`.
  ///
  /// One with a `Range` asks for none, with `identity`: a range is one of the encoded bytes (RFC 9110, section 14.2), and a part from
  /// the middle of them cannot be decoded.
  package func acceptingCodings() -> Request {
    guard options.decompression != nil, !headers.contains(.acceptEncoding) else { return self }
    var request = self
    request.headers[.acceptEncoding] = headers.contains(.range) ? "identity" : ContentCoding.accepted
    return request
  }
}

extension Response {
  /// The response with the codings that its `Content-Encoding` names undone, if its request asked for that with
  /// ``Options/decompression``, in constant memory, as the body is read.
  ///
  /// Nothing is thrown here, so that a head can be looked at whatever comes of its body. Reading the body throws
  /// ``TransportError/Code/decompressionFailed`` where it breaks a coding or ends before that does, and
  /// ``TransportError/Code/decompressionLimit`` over a limit, and then the encoded body is let go of. A piece is given as soon as
  /// the bytes for it have come, in the task that reads. The header fields stay as they were received. A body in a coding that is not
  /// known stays as it came, as does what has no content: the response to a HEAD, 204 and 304.
  package func decoded(for request: Request) -> Response {
    guard let limits = request.options.decompression, request.method != .head, status != .noContent, status != .notModified,
      body.length != 0, let codings = ContentCoding.list(headers[values: .contentEncoding]), !codings.isEmpty
    else { return self }
    // Not the request itself: its body may be large, and this one may be read for long.
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

/// A body whose codings are undone as it is read. It can be read as often as the encoded one.
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

  /// The decoded body, if the encoded one is in memory and this one is a single piece. What fails here fails again when it is read.
  func inMemory() -> Body? {
    guard let data = encoded.data, data.count <= ContentDecoder.pieceSize else { return nil }
    let decoder = makeDecoder()
    decoder.feed(data)
    decoder.finish()
    guard let whole = try? decoder.next() ?? Data(), let end = try? decoder.next() == nil, end else { return nil }
    return .data(whole)
  }

  struct Iterator: AsyncIteratorProtocol {
    /// Nil once it has ended, or is not wanted any more.
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
