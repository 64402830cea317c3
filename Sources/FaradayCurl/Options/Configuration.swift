public import FaradayCore

extension CurlAdapter {
  /// The configuration of the connection pool, the request queue, the proxy, and the engines. Options of one request are in its
  /// `options`.
  public struct Configuration: Sendable {
    /// The number of engines, each with a thread and a connection pool. 1 by default.
    ///
    /// Each origin has an engine of its own. Of an origin that speaks HTTP/1.1 the others take requests too, while its own has as many
    /// as its share of ``connectionsPerOrigin``; the shares together are that limit. HTTP/2 connections stay on one engine.
    public var engines: Int
    /// The maximum number of connections to one origin (scheme, host and port), idle ones included: if a request can use none of the
    /// idle ones, the one that was idle for longest is closed. 64 by default. Further requests wait in the request queue, first in,
    /// first out.
    public var connectionsPerOrigin: Int
    /// The maximum number of active requests per engine (over HTTP/1.1 also of connections), and of connections in its pool,
    /// idle ones included. 512 by default.
    public var connections: Int
    /// The maximum number of concurrent streams (requests) on one HTTP/2 connection. 100 by default.
    public var streamsPerConnection: Int
    /// How long an idle connection is kept in the pool (keep-alive), in whole seconds, at least one. 60 s by default. A connection
    /// that the server closes, or on which unsolicited bytes arrive, is closed at once.
    public var idleConnectionTimeout: Duration
    /// The maximum age of a connection for new requests, in whole seconds, at least one; nil, the default, is no limit. A limit
    /// makes the client notice DNS changes and new servers behind a load balancer. Needs libcurl 7.80.
    public var connectionLifetime: Duration?
    /// The maximum number of requests over one connection before it is closed; nil, the default, is no limit.
    public var requestsPerConnection: Int?
    /// The maximum length of an engine's request queue: requests that wait for a free connection, or for the first connection to
    /// their origin. 65,536 by default; further requests throw ``FaradayCore/TransportError/Code/queueFull``. A waiting request
    /// takes about 6 KB of memory, with its task. ``FaradayCore/Timeouts/queue`` limits the wait.
    public var queueLimit: Int
    /// The size of each active transfer's receive buffer, in bytes, from 1 KiB to 512 KiB. 64 KiB by default. Larger ones save
    /// system calls on plain HTTP/1.1.
    public var receiveBufferSize: Int
    /// The high watermark of backpressure, in bytes, at least 64 KiB: with so many bytes of a streamed body unread, its socket is
    /// no longer read, until the reader has consumed half of them. 2 MiB by default. Smaller values save memory with thousands of
    /// slow readers, and cost changes of thread with a fast one.
    public var streamBufferSize: Int
    /// The proxy of requests that name none in their options: ``ProxySource/environment`` by default.
    public var proxy: ProxySource
    /// The addresses and ports that may be connected to, by any request; nil, the default, allows all. A policy in a request's options
    /// applies besides. With one, no request goes through a ``proxy`` unless ``FaradayCore/AddressPolicy/allowsProxies`` is set.
    public var addressPolicy: AddressPolicy?
    /// Resolves host names instead of the system and libcurl; nil, the default, asks the system.
    ///
    ///     configuration.resolver = { host in
    ///       let service = try await registry.lookUp(host)
    ///       return .init(service.addresses, timeToLive: .seconds(10))
    ///     }
    ///
    /// It gets the host that is connected to, in ASCII and lower case, once at a time for each host, and its answer is kept for
    /// the answer's time to live. Addresses are not looked up, and neither is a host that the request finds by itself
    /// (``FaradayCore/Network/hostOverrides``, `dnsServers`, `dnsOverHTTPS`, `unixSocket`). Through a proxy it is not asked: the proxy
    /// looks up the host, and the system the proxy. An ``addressPolicy`` applies to its addresses.
    ///
    /// If it throws, or returns no valid address, requests fail with ``FaradayCore/TransportError/Code/nameNotFound`` and the
    /// error as the underlying one. The timeouts `resolve`, `connect` and `total` limit the wait; in the metrics it is a part of the
    /// time in the queue.
    public var resolver: Resolver?
    /// Sets options of libcurl that have no property here, for each transfer just before it starts. Nil by default.
    ///
    ///     configuration.unsafeCustomize = { transfer, request in try transfer.set("TCP_FASTOPEN", 1) }
    ///
    /// Unsafe: an option can change what this adapter promises, and libcurl keeps pointers without copying what they point to. See
    /// ``UnsafeTransfer`` for what must not be set. It is called in the task that sends, or on the engine's thread, and again for
    /// each new attempt; an error that it throws ends the request.
    public var unsafeCustomize: (@Sendable (borrowing UnsafeTransfer, Request) throws -> Void)?
    /// Called with each phase of every exchange, on the engine's thread: it must not block. (The end of a request that the
    /// queue refuses is reported in the task that sends it.) Nil by default, which costs nothing; with it libcurl writes its
    /// log, which costs some of the speed.
    public var onEvent: ExchangeEventHandler?
    /// The event loop.
    package var driver = DriverKind.platform

    /// A configuration; every parameter has a default.
    public init(
      engines: Int = 1, connectionsPerOrigin: Int = 64, connections: Int = 512, streamsPerConnection: Int = 100,
      idleConnectionTimeout: Duration = .seconds(60), connectionLifetime: Duration? = nil, requestsPerConnection: Int? = nil,
      queueLimit: Int = 1 << 16, receiveBufferSize: Int = 64 << 10, streamBufferSize: Int = 2 << 20,
      proxy: ProxySource = .environment,
      addressPolicy: AddressPolicy? = nil
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
      self.addressPolicy = addressPolicy
    }
  }

  /// Where an adapter's proxy comes from.
  public enum ProxySource: Sendable {
    /// The environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` when the adapter is created (also in upper
    /// case, except `HTTP_PROXY`, which a client of a CGI program could set: httpoxy).
    case environment
    /// No proxy.
    case direct
    /// A proxy by its URL: `http://host:port`, `socks5h://user:password@host:port`, … One that is not valid fails each request with
    /// ``FaradayCore/TransportError/Code/proxyFailed``.
    case url(String)
    /// A proxy.
    case proxy(Proxy)
    /// A proxy for each URL; nil is none. Called in the task that sends. It must be fast, and give the same answer for the same
    /// origin if connections are to be shared.
    case selected(@Sendable (URL) -> Proxy?)
  }

  package enum DriverKind: Sendable, Hashable {
    /// epoll on Linux, `curl_multi_poll` elsewhere.
    case platform
    /// `curl_multi_poll`, which takes time for every transfer in each turn.
    case poll
  }
}
