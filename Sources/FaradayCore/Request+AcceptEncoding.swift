internal import FaradayContentCoding

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
