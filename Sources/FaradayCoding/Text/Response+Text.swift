public import FaradayCore

extension Response {
  /// The body as text, decoded by its charset.
  ///
  ///     print(try await response.text())
  ///
  /// A byte order mark decides, and is removed; otherwise the `charset` of the `Content-Type`; without either it is UTF-8.
  /// Supported are UTF-8 (and US-ASCII), UTF-16, UTF-16LE, UTF-16BE, ISO-8859-1 and windows-1252. UTF-16 without a mark is
  /// big-endian (RFC 2781). Invalid bytes become U+FFFD.
  ///
  /// Throws ``FaradayCoding/UndecodableText`` for any other charset; the bytes are in ``body``. Throws
  /// ``FaradayCore/BodyTooLarge`` over `limit` bytes, 64 MiB by default, and what reading a streamed body throws.
  public func text(upTo limit: Int = 64 << 20) async throws -> String {
    let (charset, data) = try charset(of: try await body.collect(upTo: limit))
    return charset.decode(data)
  }

  /// As ``text(upTo:)``, of collected bytes; but invalid bytes throw ``FaradayCoding/UndecodableText`` too.
  package func validText(of data: Data) throws(UndecodableText) -> String {
    let (charset, data) = try charset(of: data)
    guard charset.isValid(data) else { throw UndecodableText(charset: charset.rawValue) }
    return charset.decode(data)
  }

  private func charset(of data: Data) throws(UndecodableText) -> (Charset, Data) {
    if let (charset, length) = Charset.marked(data) { return (charset, data.dropFirst(length)) }
    guard let name = headers.contentType?["charset"] else { return (.utf8, data) }
    guard let charset = Charset(named: name) else { throw UndecodableText(charset: name) }
    return (charset, data)
  }
}

/// A body that is not valid text in its charset, or whose charset is not supported.
public struct UndecodableText: FaradayError, Equatable {
  /// The name of the charset: `utf-8`.
  public let charset: String

  /// A body that is not text in this charset.
  public init(charset: String) { self.charset = charset }

  public var description: String {
    "the body cannot be decoded as text with the charset \(String(charset.prefix(40)).debugDescription)"
  }
}
