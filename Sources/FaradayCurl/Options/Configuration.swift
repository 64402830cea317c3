extension CurlAdapter {
  /// How the engine is set up. What concerns one request is in its options.
  public struct Configuration: Sendable, Hashable {
    /// Engine threads. Requests are spread over them by origin, so that each origin's connections stay together. 1 by default.
    public var engines: Int
    /// Connections to one origin (scheme, host and port) at a time. Requests that find none free wait in a queue of ours, in
    /// order. 64 by default.
    public var connectionsPerOrigin: Int
    /// Requests under way on one engine at a time, which over HTTP/1.1 is connections, and how many connections it keeps when
    /// they are idle. 512 by default.
    public var connections: Int
    /// Requests on one HTTP/2 connection at a time. 100 by default.
    public var streamsPerConnection: Int
    /// How long a connection is kept while no request is on it, in whole seconds, at least one. 60 s by default. One that the server
    /// ends, or over which anything comes that nobody has asked for, goes at once.
    public var idleConnectionTimeout: Duration
    /// How long a connection is used for new requests, in whole seconds, at least one; nil, the default, as long as it lives. A
    /// limit lets changes of the DNS and new servers behind a balancer be noticed. (Needs libcurl 7.80.)
    public var connectionLifetime: Duration?
    /// Requests over one connection before it is closed; nil, the default, any number.
    public var requestsPerConnection: Int?
    /// Requests that may wait for a connection on one engine, or for the first one to their server to be there; more fail with
    /// ``TransportError/Code/queueFull``. 65,536 by default. One that waits costs about six kilobytes, its task included. ``Timeouts/queue`` limits how long.
    public var queueLimit: Int
    /// Bytes asked from a socket at a time, from 1 KiB to 512 KiB; each active transfer has a buffer of this size. Larger ones
    /// save system calls on plain HTTP/1.1. 64 KiB by default.
    public var receiveBufferSize: Int
    /// How much of a streamed body may wait for its reader before its socket is read no further, in bytes, from 64 KiB. It is
    /// read again when half of that is left. 2 MiB by default: smaller ones save memory where thousands of streams have slow
    /// readers, and cost changes of thread where one is fast.
    public var streamBufferSize: Int
    /// Where requests go through.
    public var proxy: Proxy
    /// The loop that waits for sockets.
    package var driver = DriverKind.platform

    public init(
      engines: Int = 1, connectionsPerOrigin: Int = 64, connections: Int = 512, streamsPerConnection: Int = 100,
      idleConnectionTimeout: Duration = .seconds(60), connectionLifetime: Duration? = nil, requestsPerConnection: Int? = nil,
      queueLimit: Int = 1 << 16, receiveBufferSize: Int = 64 << 10, streamBufferSize: Int = 2 << 20, proxy: Proxy = .environment
    ) {
      self.engines = engines
      self.connectionsPerOrigin = connectionsPerOrigin
      self.connections = connections
      self.streamsPerConnection = streamsPerConnection
      self.idleConnectionTimeout = idleConnectionTimeout
      self.connectionLifetime = connectionLifetime
      self.requestsPerConnection = requestsPerConnection
      self.queueLimit = queueLimit
      self.receiveBufferSize = receiveBufferSize
      self.streamBufferSize = streamBufferSize
      self.proxy = proxy
    }
  }

  /// Whether and which proxy is used.
  public enum Proxy: Sendable, Hashable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` as they are when the adapter is made (`HTTPS_PROXY`,
    /// `ALL_PROXY` and `NO_PROXY` too; `HTTP_PROXY` not, because a server's CGI can be made to set it).
    case environment
    /// None.
    case direct
    /// This one, as libcurl takes it: `http://host:port`, `socks5h://user:password@host:port`, …
    case url(String)
  }

  package enum DriverKind: Sendable, Hashable {
    /// epoll on Linux, `curl_multi_poll` elsewhere.
    case platform
    /// `curl_multi_poll`, whose cost grows with the number of transfers.
    case poll
  }
}
