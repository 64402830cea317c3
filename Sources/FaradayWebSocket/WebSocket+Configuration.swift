extension WebSocket {
  /// The settings of a WebSocket: limits, keepalive and compression.
  public struct Configuration: Sendable {
    /// The maximum size of a received message, after its decompression, in bytes: 16 MiB by default. A larger one closes the
    /// connection with the code 1009, as soon as its size is known.
    public var maximumMessageSize = 16 << 20
    /// The number of received messages that wait for their reader: 16 by default, at least 1. When there are more, or more than
    /// ``maximumMessageSize`` bytes, nothing is read from the connection, and the server is slowed down.
    public var maximumWaitingMessages = 16
    /// The time between two pings: 30 seconds by default, and at least ``pingTimeout``; nil for no pings. Pings keep the
    /// connection open in proxies, and detect a dead peer.
    public var pingInterval: Duration? = .seconds(30)
    /// The maximum time without a byte from the server after a ping: 30 seconds by default. After it the socket throws
    /// ``WebSocketError/Reason/pingTimeout``. While ``maximumWaitingMessages`` wait for their reader, it is the maximum time in
    /// which the server takes nothing of what is sent.
    public var pingTimeout: Duration = .seconds(30)
    /// The maximum time in which the server must answer a close frame and close the connection: 5 seconds by default.
    public var closeTimeout: Duration = .seconds(5)
    /// Whether compression is offered (permessage-deflate, RFC 7692): false by default. With it a busy socket needs about 300 KiB
    /// more memory. Do not compress secrets together with text of an attacker: the size of the result reveals them.
    public var compresses = false
    /// Messages below this size are sent uncompressed, in bytes: 256 by default.
    public var minimumCompressedSize = 256
    /// Measures the intervals; tests pass a manual one.
    public var clock: any Clock<Duration> = .continuous

    /// The defaults.
    public init() {}
  }
}
