public import FaradayCore

extension Response {
  /// The body as text, in the characters that it says it is in.
  ///
  ///     print(try await response.text())
  ///
  /// A byte order mark decides, and is left out; otherwise the `charset` of the `Content-Type` does; without either it is UTF-8.
  /// Known are UTF-8 (and US-ASCII), UTF-16, UTF-16LE, UTF-16BE, ISO-8859-1 and windows-1252. UTF-16 without a mark is big-endian
  /// (RFC 2781). Bytes that stand for no character become U+FFFD.
  ///
  /// Throws ``UndecodableText`` if it is said to be in anything else, as any guess would show wrong characters; the bytes are in
  /// ``body``. Throws ``FaradayCore/BodyTooLarge`` if it is over `limit` bytes, and what reading a streamed body throws.
  public func text(upTo limit: Int = 64 << 20) async throws -> String {
    let (charset, data) = try charset(of: try await body.collect(upTo: limit))
    return charset.decode(data)
  }

  /// As ``text(upTo:)``, of a body that has been collected; but bytes that stand for no character are an ``UndecodableText`` too.
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

/// A body that is no text in the characters that were wanted, or that it says it is in.
public struct UndecodableText: FaradayError, Equatable {
  /// Their name: `utf-8`.
  public let charset: String

  public init(charset: String) { self.charset = charset }

  public var description: String { "the body is no text in \(String(charset.prefix(40)).debugDescription)" }
}
