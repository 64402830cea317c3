/// The request target: what the first line of a request names (RFC 9112, section 3.2).
public enum RequestTarget: Sendable, Hashable {
  /// The URL's path and query (origin-form; the proxy gets the whole URL where it must).
  case origin
  /// `*`, the server itself (asterisk-form): `OPTIONS *` asks for its capabilities (RFC 9112, section 3.2.4; RFC 9110, section
  /// 9.3.7). The URL names the server; its path and query are not sent. Another method than OPTIONS throws
  /// ``TransportError/Code/invalidMethod``.
  case asterisk
  /// This text, unchanged: visible ASCII characters, without a space. The URL names the server only. For servers that expect what no
  /// URL has. With Digest authentication a strict server refuses it, as the
  /// hash is made of the URL's. Other characters throw ``TransportError/Code/invalidURL``.
  case verbatim(String)
}
