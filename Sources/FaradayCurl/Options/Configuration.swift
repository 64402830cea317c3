@_spi(Adapters) public import FaradayCore

extension CurlAdapter {
  /// The configuration of the connection pool, the request queue, the proxy and the engines. Options of a single request are in
  /// its `options`.
  public struct Configuration: Sendable {
    /// The number of engines, each with a thread and a connection pool. 1 by default.
    ///
    /// Each origin has a home engine. If an HTTP/1.1 origin has as many requests on its home engine as that engine's share of
    /// ``maximumPooledConnectionsPerOrigin``, the other engines take further requests. The shares add up to the maximum. HTTP/2
    /// connections of an origin stay on one engine.
    public var threads: Int
    /// The maximum number of connections to one origin (scheme, host and port), including idle ones. 64 by default. If the
    /// limit is reached and a request can use none of the idle connections, the connection that was idle for longest is closed.
    /// Further requests wait in the request queue, first in, first out. Over HTTP/2 and HTTP/3 this number times
    /// ``streamsPerConnection`` requests are sent at once; a server that allows fewer streams gets more connections.
    public var maximumPooledConnectionsPerOrigin: Int
    /// The maximum number of active requests per engine (over HTTP/1.1 also of connections), and of connections in its pool,
    /// including idle ones. 512 by default.
    public var maximumPooledConnections: Int
    /// The maximum number of concurrent streams (requests) on one HTTP/2 connection. 100 by default.
    public var streamsPerConnection: Int
    /// The time for which an idle connection is kept in the pool (keep-alive), in whole seconds, at least one. 60 s by default.
    /// A connection is closed at once if the server closes it, or if unsolicited bytes arrive on it.
    public var idleConnectionTimeout: Duration
    /// The maximum age of a connection for new requests, in whole seconds, at least one. Nil, the default, means no limit. With
    /// a limit, the client notices DNS changes and new servers behind a load balancer. Needs libcurl 7.80.
    public var connectionLifetime: Duration?
    /// The maximum number of requests over one connection before it is closed. Nil, the default, means no limit.
    public var requestsPerConnection: Int?
    /// The maximum length of an engine's request queue. Requests wait there for a free connection, or for the first connection
    /// to their origin. 65,536 by default. Further requests throw ``FaradayCore/TransportError/Code/queueFull``. A waiting
    /// request takes about 6 KB of memory, including its task. ``FaradayCore/Timeouts/queue`` limits the wait.
    public var maximumQueuedRequests: Int
    /// The size of each active transfer's receive buffer, in bytes, from 1 KiB to 512 KiB. 64 KiB by default. Larger ones save
    /// system calls on plain HTTP/1.1.
    public var receiveBufferSize: Int
    /// The high watermark of backpressure, in bytes, at least 64 KiB. 2 MiB by default. When this many bytes of a streamed body
    /// are unread, its socket is not read until the reader has consumed half of them. Smaller values save memory with thousands
    /// of slow readers, and cause thread switches with a fast reader.
    public var streamBufferSize: Int
    /// The proxy of requests whose options specify no proxy: ``ProxySource/environment`` by default.
    public var proxy: ProxySource
    /// The addresses and ports to which any request may connect. Nil, the default, allows all. A policy in a request's options
    /// applies in addition. With a policy, no request uses a ``proxy`` unless ``FaradayCore/AddressPolicy/allowsProxies`` is
    /// set.
    public var addressPolicy: AddressPolicy?
    /// Resolves host names instead of the system and libcurl. Nil, the default, uses the system's resolver.
    ///
    ///     configuration.resolver = { host in
    ///       let service = try await registry.lookUp(host)
    ///       return .init(service.addresses, timeToLive: .seconds(10))
    ///     }
    ///
    /// It receives the host to connect to, in ASCII and lower case. It is called once at a time for each host, and its result
    /// is cached for the result's time to live. It is not called for IP addresses, or for a request whose options determine the
    /// addresses or the DNS server (``FaradayCore/Network/hostOverrides``, `dnsServers`, `dnsOverHTTPS`, `unixSocket`). It is
    /// not called for a request through a proxy: the proxy resolves the host, and the system resolves the proxy. An
    /// ``addressPolicy`` applies to its addresses.
    ///
    /// If it throws, or returns no valid address, requests fail with ``FaradayCore/TransportError/Code/nameNotFound`` and the
    /// error as the underlying one. The timeouts `resolve`, `connect` and `total` limit the call. The metrics include it in the
    /// queue time.
    public var resolver: Resolver?
    /// Sets libcurl options that have no property here, for each transfer just before it starts. Nil by default.
    ///
    ///     configuration.unsafeCustomize = { transfer, request in try transfer.set("TCP_FASTOPEN", 1) }
    ///
    /// Unsafe: an option can break the adapter's guarantees, and libcurl keeps pointers without copying the memory behind them.
    /// ``UnsafeTransfer`` lists the options that must not be set. The function is called in the task that sends, or on the
    /// engine's thread, and again for each new attempt. An error that it throws ends the request.
    public var unsafeCustomize: (@Sendable (borrowing UnsafeTransfer, Request) throws -> Void)?
    /// A handler of each phase of every exchange. It is called on the engine's thread and must not block. (If the queue rejects
    /// a request, its end is reported in the task that sends it.) Nil by default, which costs nothing. With a handler, libcurl
    /// writes its log, which reduces the speed.
    public var onEvent: ExchangeEventHandler?
    /// The event loop.
    package var driver = DriverKind.platform

    /// A configuration; every parameter has a default.
    public init(
      threads: Int = 1, maximumPooledConnectionsPerOrigin: Int = 64, maximumPooledConnections: Int = 512,
      streamsPerConnection: Int = 100,
      idleConnectionTimeout: Duration = .seconds(60), connectionLifetime: Duration? = nil, requestsPerConnection: Int? = nil,
      maximumQueuedRequests: Int = 1 << 16, receiveBufferSize: Int = 64 << 10, streamBufferSize: Int = 2 << 20,
      proxy: ProxySource = .environment,
      addressPolicy: AddressPolicy? = nil
    ) {
      self.threads = threads
      self.maximumPooledConnectionsPerOrigin = maximumPooledConnectionsPerOrigin
      self.maximumPooledConnections = maximumPooledConnections
      self.streamsPerConnection = streamsPerConnection
      self.idleConnectionTimeout = idleConnectionTimeout
      self.connectionLifetime = connectionLifetime
      self.requestsPerConnection = requestsPerConnection
      self.maximumQueuedRequests = maximumQueuedRequests
      self.receiveBufferSize = receiveBufferSize
      self.streamBufferSize = streamBufferSize
      self.proxy = proxy
      self.addressPolicy = addressPolicy
    }
  }

  /// The source of an adapter's proxy.
  public enum ProxySource: Sendable {
    /// The environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read when the adapter is created. The
    /// names in upper case are read too, except `HTTP_PROXY`: a client of a CGI program could set it (httpoxy).
    case environment
    /// No proxy.
    case direct
    /// A proxy by its URL: `http://host:port`, `socks5h://user:password@host:port`, … With an invalid URL, each request fails
    /// with ``FaradayCore/TransportError/Code/proxyFailed``.
    case url(String)
    /// A proxy.
    case proxy(Proxy)
    /// A function that selects the proxy for each URL; nil means no proxy. It is called in the task that sends. It must be
    /// fast. It must return equal proxies for one origin, so that connections are shared.
    case selected(@Sendable (URL) -> Proxy?)
  }

  package enum DriverKind: Sendable, Hashable {
    /// epoll on Linux, `curl_multi_poll` elsewhere.
    case platform
    /// `curl_multi_poll`, whose cost per turn grows with the number of transfers.
    case poll
  }
}
