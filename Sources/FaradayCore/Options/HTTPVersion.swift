/// The version of HTTP that a response came over.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
  public let major: Int
  public let minor: Int

  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  public static let http1_0 = HTTPVersion(major: 1, minor: 0)
  public static let http1_1 = HTTPVersion(major: 1, minor: 1)
  public static let http2 = HTTPVersion(major: 2, minor: 0)
  public static let http3 = HTTPVersion(major: 3, minor: 0)

  /// The adapter cannot tell; it lacks ``Capabilities/responseVersion``.
  public static let unknown = HTTPVersion(major: 0, minor: 0)

  public var description: String { self == .unknown ? "HTTP/?" : major < 2 ? "HTTP/\(major).\(minor)" : "HTTP/\(major)" }
}

/// Which version of HTTP a request asks for.
public enum HTTPVersionPolicy: Sendable, Hashable {
  /// What the adapter holds to be safe: HTTP/2 over TLS where its engine does it well, else HTTP/1.1.
  case automatic
  /// HTTP/1.1 and nothing else.
  case http1
  /// HTTP/2 if the server offers it in the TLS handshake, else HTTP/1.1. Over plain `http` this is HTTP/1.1.
  case http2
}
