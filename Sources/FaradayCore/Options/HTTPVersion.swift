/// The HTTP version of a response.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
  /// The major version: 1 for HTTP/1.1.
  public let major: Int
  /// The minor version: 1 for HTTP/1.1, 0 from HTTP/2 on.
  public let minor: Int

  /// A version by its numbers.
  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// HTTP/0.9: a response without a head, see ``Options/acceptsHTTP0_9``.
  public static let http0_9 = HTTPVersion(major: 0, minor: 9)
  /// HTTP/1.0
  public static let http1_0 = HTTPVersion(major: 1, minor: 0)
  /// HTTP/1.1
  public static let http1_1 = HTTPVersion(major: 1, minor: 1)
  /// HTTP/2
  public static let http2 = HTTPVersion(major: 2, minor: 0)
  /// HTTP/3
  public static let http3 = HTTPVersion(major: 3, minor: 0)

  /// Unknown: the adapter lacks ``Capabilities/responseVersion``.
  public static let unknown = HTTPVersion(major: 0, minor: 0)

  public var description: String { self == .unknown ? "HTTP/?" : major < 2 ? "HTTP/\(major).\(minor)" : "HTTP/\(major)" }
}

/// The HTTP versions that a request may use.
public enum HTTPVersionPolicy: Sendable, Hashable {
  /// The adapter's choice: HTTP/2 over TLS where its implementation is reliable, otherwise HTTP/1.1.
  case automatic
  /// HTTP/1.0, without the chunked transfer coding and keep-alive: for old servers.
  case http1_0
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2 if the server offers it in the TLS handshake (ALPN), otherwise HTTP/1.1. Plain `http` uses HTTP/1.1, and so do
  /// requests for which the adapter's HTTP/2 is not reliable.
  case http2
  /// HTTP/2 at once, also in cleartext, for a server that is known to support it (prior knowledge, RFC 9113, section 3.3).
  case http2PriorKnowledge
  /// HTTP/3 over QUIC for https, with ``Capabilities/http3``. If QUIC does not connect at once, the adapter attempts HTTP/2 and
  /// HTTP/1.1 over TCP in parallel, and uses the first connection. HTTP/3 is not used through a proxy, over a Unix socket, or
  /// for plain `http`.
  case http3
}
