extension WebSocket {
  /// The code of a close frame (RFC 6455, section 7.4): why a peer closes.
  public struct CloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16
    /// Any code. An application uses 4000 to 4999 for its own.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: the connection has done its work.
    public static let normal = Self(rawValue: 1000)
    /// 1001: the peer goes away, as a server that shuts down.
    public static let goingAway = Self(rawValue: 1001)
    /// 1002: the other peer has violated the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// 1003: the peer cannot accept messages of this kind.
    public static let unsupportedData = Self(rawValue: 1003)
    /// 1007: a message's content is invalid, as text that is not UTF-8.
    public static let invalidPayload = Self(rawValue: 1007)
    /// 1008: the other peer has violated a policy.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: a message is too large.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1011: the server has failed.
    public static let internalError = Self(rawValue: 1011)
    /// 1012: the server restarts.
    public static let serviceRestart = Self(rawValue: 1012)
    /// 1013: the server is overloaded.
    public static let tryAgainLater = Self(rawValue: 1013)

    public var description: String { "\(rawValue)" }

    /// Whether a close frame may have the code: the others are reserved or unassigned.
    var mayBeSent: Bool {
      switch rawValue {
      case 1000...1003, 1007...1014, 3000...4999: true
      default: false
      }
    }
  }

  /// How a peer has closed the connection: see ``WebSocket/closure``.
  public struct Closure: Sendable, Hashable {
    /// The server's code; nil if its close frame has none.
    public let code: CloseCode?
    /// The server's reason, at most 123 bytes of text; empty if there is none. It comes from the server: do not show it to
    /// users as it is.
    public let reason: String
  }
}
