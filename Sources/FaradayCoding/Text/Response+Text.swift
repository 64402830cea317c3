public import FaradayCore

extension Response {
  /// The body as text, decoded by its charset.
  ///
  ///     print(try await response.text())
  ///
  /// A byte order mark determines the charset, and is removed. Without a mark the `charset` of the `Content-Type` applies, or
  /// UTF-8. Supported charsets are UTF-8 (and US-ASCII), UTF-16, UTF-16LE, UTF-16BE, ISO-8859-1 and windows-1252. UTF-16
  /// without a mark is big-endian (RFC 2781). Invalid bytes become U+FFFD.
  ///
  /// Throws ``FaradayCore/BodyError`` for any other charset; the bytes are in ``body``. Throws the errors of reading a
  /// streamed body.
  ///
  /// - Parameters:
  ///   - accepted: the accepted statuses, 2xx by default. Any other status throws ``FaradayCore/StatusError`` with the
  ///     beginning of the body.
  ///   - limit: the maximum number of bytes. By default ``FaradayCore/Options/maximumBodySize`` of the request, which is 64 MiB
  ///     by default. A longer body throws ``FaradayCore/BodyError`` with the reason `.tooLarge`.
  public func text(accepting accepted: StatusSet = .successful, upTo limit: Int? = nil) async throws -> String {
    let (charset, data) = try charset(of: try await data(accepting: accepted, upTo: limit))
    return charset.decode(data)
  }

  /// Decodes collected bytes like ``text(accepting:upTo:)``, but throws ``FaradayCore/BodyError`` with the reason
  /// `.undecodableText` for invalid bytes too.
  package func validText(of data: Data) throws(BodyError) -> String {
    let (charset, data) = try charset(of: data)
    guard charset.isValid(data) else { throw BodyError(.undecodableText(charset: charset.rawValue)) }
    return charset.decode(data)
  }

  private func charset(of data: Data) throws(BodyError) -> (Charset, Data) {
    if let (charset, length) = Charset.marked(data) { return (charset, data.dropFirst(length)) }
    guard let name = headers.contentType?["charset"] else { return (.utf8, data) }
    guard let charset = Charset(named: name) else { throw BodyError(.undecodableText(charset: String(name.prefix(64)))) }
    return (charset, data)
  }
}
