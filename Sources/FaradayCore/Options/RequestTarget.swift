/// What the first line of a request asks for.
public enum RequestTarget: Sendable, Hashable {
  /// The URL's path and query.
  case origin
  /// `*`, the server as a whole: `OPTIONS *` asks what it can do (RFC 9112, section 3.2.4; RFC 9110, section 9.3.7). The URL says
  /// which server; its path and query are not sent. For OPTIONS alone: with another method it is
  /// ``TransportError/Code/invalidMethod``.
  case asterisk
}
