internal import FaradayContentCoding

/// Response decompression: sends `Accept-Encoding: gzip, deflate, br, zstd`, and decodes the body while it is read.
///
/// libbrotlidec decodes `br`, and libzstd decodes `zstd`. Both are loaded at run time, once in a process, when the first
/// request needs them. `br` is not offered and not decoded if libbrotlidec is missing; the same is true of `zstd` and
/// libzstd. The libcurl of Debian and Ubuntu depends on both.
///
/// A request with an `Accept-Encoding` field keeps it. A request with a `Range` gets `Accept-Encoding: identity`, because a
/// part of an encoded body cannot be decoded. The response is decoded whenever it is encoded (RFC 9110, section 8.4), with up
/// to four nested codings. A body in an unknown coding is not decoded. The header fields are not changed: `Content-Encoding`
/// names the decoded codings, and `Content-Length` counts the encoded bytes.
///
/// A body that is truncated, has a wrong checksum, or is followed by more bytes throws
/// ``TransportError/Code/decompressionFailed``; only raw deflate, br and some zstd data have no checksum. Both limits
/// protect against decompression bombs: beyond either limit, reading throws ``TransportError/Code/decompressionLimit``.
/// Decoding needs about 110 KiB of memory per coding, br up to 16 MiB more, and zstd up to 8 MiB more. A zstd body that
/// needs a larger window is an error (RFC 9659).
public struct Decompression: Sendable, Hashable {
  /// The maximum size of the decoded body, in bytes. 1 GiB by default. ``Options/maximumBodySize`` limits buffered delivery
  /// too.
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
  /// The request with an `Accept-Encoding` of the codings that ``Response/decoded(for:)`` decodes: `gzip, deflate`, and `br`
  /// and `zstd` if their libraries can be loaded. Unchanged without ``Options/decompression``, or if the request has an
  /// `Accept-Encoding`.
  ///
  /// A request with a `Range` gets `identity`: a range selects encoded bytes (RFC 9110, section 14.2), and decoding cannot
  /// start in the middle.
  package func acceptingCodings() -> Request {
    guard options.decompression != nil, !headers.contains(.acceptEncoding) else { return self }
    var request = self
    request.headers[.acceptEncoding] = headers.contains(.range) ? "identity" : ContentCoding.accepted
    return request
  }
}

extension Response {
  /// Whether the response has a `Content-Encoding` that this process cannot decode. The value `none`, which some servers
  /// send, is ignored.
  package var hasUnknownCoding: Bool {
    ContentCoding.list(headers[values: .contentEncoding].filter { $0 != "none" }) == nil
  }

  /// The response with a body that decodes its `Content-Encoding` while it is read, in constant memory, if the request has
  /// ``Options/decompression``.
  ///
  /// Only reading the body throws, so that the head is available even if the body is malformed:
  /// ``TransportError/Code/decompressionFailed`` for malformed or truncated data, ``TransportError/Code/decompressionLimit``
  /// beyond a limit. The error drops the encoded body. The reading task decodes each piece as soon as its bytes have arrived. A
  /// body in an unknown coding is not decoded. A response without content (to a HEAD, 204, 304) is unchanged.
  package func decoded(for request: Request) -> Response {
    guard let limits = request.options.decompression, request.method != .head, status != .noContent, status != .notModified,
      body.length != 0, let codings = ContentCoding.list(headers[values: .contentEncoding]), !codings.isEmpty
    else { return self }
    return decoding(codings, limits, for: request)
  }

  /// The response with a body that decodes these codings while it is read.
  func decoding(_ codings: [ContentCoding], _ limits: Decompression, for request: Request) -> Response {
    // Captures these three values and not the request, whose body may be large.
    let (method, url, secrets) = (request.method, request.url, request.secrets)
    let failure = { @Sendable (error: ContentDecodingError) in
      TransportError(error.code, phase: .receiving, method: method, url: url, secrets: secrets, message: "\(error)")
    }
    let makeDecoder = { @Sendable in
      ContentDecoder(
        codings, limits: .init(size: limits.maximumSize, ratio: limits.maximumRatio, ratioFloor: Decompression.ratioFloor))
    }
    var response = self
    response.body = body.decodedInMemory(by: makeDecoder()) ?? body.decoded(by: makeDecoder, failure)
    return response
  }
}

extension Body {
  /// The decoded body, if this body is in memory and decodes to a single piece; otherwise nil. Nil after a decoding error too:
  /// the error occurs again when the body is read.
  fileprivate func decodedInMemory(by decoder: @autoclosure () -> ContentDecoder) -> Body? {
    guard let data, data.count <= ContentDecoder.pieceSize else { return nil }
    let decoder = decoder()
    decoder.feed(data)
    decoder.finish()
    guard let whole = try? decoder.next() ?? Data(), let end = try? decoder.next() == nil, end else { return nil }
    return .data(whole)
  }

  /// A body that is decoded while it is read. It is replayable if this body is.
  fileprivate func decoded(
    by makeDecoder: @escaping @Sendable () -> ContentDecoder,
    _ failure: @escaping @Sendable (ContentDecodingError) -> TransportError
  ) -> Body {
    .reading(length: nil, isReplayable: isReplayable) {
      // Nil after its end, and after an error.
      var encoded: AsyncIterator? = makeAsyncIterator()
      let decoder = makeDecoder()
      return {
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
            if let piece = try await encoded?.next(isolation: #isolation) {
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
}

extension ContentDecodingError {
  fileprivate var code: TransportError.Code {
    switch self {
    case .malformed, .truncated, .unavailable, .tooManyCodings: .decompressionFailed
    case .tooLarge, .tooDense: .decompressionLimit
    case .outOfMemory: .engineFailed
    }
  }
}

/// The transfer codings that compress a message on one connection (RFC 9112, section 7). A server may use them if the request
/// has `Connection: TE` and `TE: gzip`.
package enum TransferCodings {
  /// Whether a `TE` value accepts gzip, with a weight other than 0 (RFC 9110, section 10.1.4).
  package static func asksForGzip(_ field: String) -> Bool {
    field.lowercased().split(separator: ",").contains { member in
      let parts = member.split(separator: ";").map { $0.trimming() }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
      return parts.first == "gzip" && weight != 0
    }
  }

  /// Whether a body with these transfer codings can be decoded: only gzip is supported.
  package static func canDecode(_ names: [String]) -> Bool { names.allSatisfy { $0 == "gzip" || $0 == "x-gzip" } }
}

extension Response {
  /// The response with a body that decodes these transfer codings while it is read, within the limits of
  /// ``Options/decompression``, or ``Decompression/standard``.
  package func decoding(transfer names: [String], for request: Request) -> Response {
    guard let codings = ContentCoding.list(names), !codings.isEmpty, body.length != 0 else { return self }
    return decoding(codings, request.options.decompression ?? .standard, for: request)
  }
}
