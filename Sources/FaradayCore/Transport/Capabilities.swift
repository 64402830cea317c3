/// The features of an adapter. A request that needs one that is missing throws ``TransportError/Code/unsupported``, which names it.
public struct Capabilities: OptionSet, Sendable, Hashable {
  /// One bit for each capability.
  public let rawValue: UInt64

  /// Capabilities by their bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Methods other than those of RFC 9110.
  public static let customMethods = Capabilities(rawValue: 1 << 0)
  /// A body on GET.
  public static let bodyOnGet = Capabilities(rawValue: 1 << 1)
  /// Streamed request bodies, from a file or an async sequence.
  public static let streamedUpload = Capabilities(rawValue: 1 << 2)
  /// Waiting for `100 Continue` when the request has `Expect: 100-continue`.
  public static let expectContinue = Capabilities(rawValue: 1 << 3)
  /// ``Options/onUploadProgress``.
  public static let uploadProgress = Capabilities(rawValue: 1 << 4)
  /// ``Delivery/streamed``.
  public static let streamedDownload = Capabilities(rawValue: 1 << 6)
  /// Backpressure: a reader that pauses slows the server down.
  public static let backpressure = Capabilities(rawValue: 1 << 7)
  /// ``Options/onInformational``.
  public static let informational = Capabilities(rawValue: 1 << 10)
  /// Trailers of a response.
  public static let trailers = Capabilities(rawValue: 1 << 11)
  /// Repeated header fields stay repeated.
  public static let repeatedHeaders = Capabilities(rawValue: 1 << 12)
  /// ``Timeouts/connect``.
  public static let connectTimeout = Capabilities(rawValue: 1 << 14)
  /// ``Timeouts/idle``.
  public static let idleTimeout = Capabilities(rawValue: 1 << 15)
  /// ``Timeouts/total``.
  public static let totalTimeout = Capabilities(rawValue: 1 << 16)
  /// HTTP/2 over TLS.
  public static let http2 = Capabilities(rawValue: 1 << 17)
  /// ``TLS/caFile``.
  public static let customCA = Capabilities(rawValue: 1 << 18)
  /// ``TLS/verifiesServer`` switched off.
  public static let unverifiedTLS = Capabilities(rawValue: 1 << 19)
  /// ``Response/metrics`` of every phase.
  public static let metrics = Capabilities(rawValue: 1 << 20)

  /// Header fields are sent as they were set, in order and case; only `Host`, the body's framing and `Connection: TE` are added.
  public static let exactHeaders = Capabilities(rawValue: 1 << 21)
  /// A path with `.` or `..` segments is sent unchanged.
  public static let dotSegments = Capabilities(rawValue: 1 << 22)
  /// Full duplex: each piece of a streamed request body is sent at once, and the response can be received meanwhile.
  public static let duplex = Capabilities(rawValue: 1 << 23)
  /// ``HTTPVersionPolicy/http1``: HTTP/1.1 only.
  public static let http1Only = Capabilities(rawValue: 1 << 24)
  /// ``Response/version`` is the HTTP version of the response.
  public static let responseVersion = Capabilities(rawValue: 1 << 25)
  /// A body is returned as it was sent, whatever its `Content-Encoding`: ``Options/decompression`` needs it.
  public static let encodedBodies = Capabilities(rawValue: 1 << 26)
  /// A request that is not idempotent (POST, PATCH, custom methods) is never sent twice when its connection breaks.
  public static let neverResends = Capabilities(rawValue: 1 << 27)
  /// A response with a truncated head is an error, and does not affect other requests.
  public static let truncatedHeads = Capabilities(rawValue: 1 << 28)
  /// ``RequestTarget/asterisk``.
  public static let asteriskTarget = Capabilities(rawValue: 1 << 29)
  /// Unsolicited bytes never become the response of the next request: an idle connection on which anything has arrived is not
  /// reused.
  public static let cleanConnections = Capabilities(rawValue: 1 << 30)
  /// A TLS body that is ended by the close of the connection is an error without a `close_notify` (truncation attack, RFC 9112,
  /// section 9.8).
  public static let truncatedTLS = Capabilities(rawValue: 1 << 31)
  /// A response with ambiguous framing is an error (response smuggling, RFC 9112, sections 2 to 7).
  public static let strictFraming = Capabilities(rawValue: 1 << 33)
  /// After a 417 the request is sent again without `Expect` (RFC 9110, section 10.1.1).
  public static let expectationFailed = Capabilities(rawValue: 1 << 34)
  /// ``Timeouts/idle`` counts every byte on the wire: incomplete lines, framing, and what a slow server reads from the socket
  /// buffer.
  public static let idleOnWire = Capabilities(rawValue: 1 << 35)
  /// ``Timeouts/queue``.
  public static let queueTimeout = Capabilities(rawValue: 1 << 32)
  /// Requests with a body, and those that are not idempotent, use and keep connections of the pool.
  public static let uploadReuse = Capabilities(rawValue: 1 << 36)
  /// ``TLS/caDirectory`` and ``TLS/caCertificates``.
  public static let tlsAuthorities = Capabilities(rawValue: 1 << 37)
  /// ``TLS/clientCertificate``.
  public static let clientCertificates = Capabilities(rawValue: 1 << 38)
  /// ``TLS/revocationLists``.
  public static let revocationLists = Capabilities(rawValue: 1 << 39)
  /// ``TLS/pinnedPublicKeys``.
  public static let pinnedPublicKeys = Capabilities(rawValue: 1 << 40)
  /// ``TLS/minimumVersion`` and ``TLS/maximumVersion``.
  public static let tlsVersions = Capabilities(rawValue: 1 << 41)
  /// ``TLS/ciphers`` and ``TLS/cipherSuites``.
  public static let tlsCiphers = Capabilities(rawValue: 1 << 42)
  /// ``TLS/resumesSessions`` and ``TLS/negotiatesProtocol`` switched off.
  public static let tlsHandshake = Capabilities(rawValue: 1 << 43)
  /// ``TLS/reportsPeerCertificates`` and ``TLS/verifier``.
  public static let peerCertificates = Capabilities(rawValue: 1 << 44)
  /// ``Options/proxy``: a proxy of one request.
  public static let proxies = Capabilities(rawValue: 1 << 45)
  /// ``Network/unixSocket``.
  public static let unixSockets = Capabilities(rawValue: 1 << 46)
  /// ``Network/hostOverrides`` and ``Network/connectTo``.
  public static let otherAddresses = Capabilities(rawValue: 1 << 47)
  /// ``Network/dnsServers``.
  public static let dnsServers = Capabilities(rawValue: 1 << 48)
  /// ``Network/dnsOverHTTPS``.
  public static let dnsOverHTTPS = Capabilities(rawValue: 1 << 49)
  /// ``Network/localAddress`` and ``Network/localPorts``.
  public static let localAddress = Capabilities(rawValue: 1 << 50)
  /// ``Network/ipVersion`` and ``Network/happyEyeballsDelay``.
  public static let ipVersion = Capabilities(rawValue: 1 << 51)
  /// ``Network/tcpNoDelay`` and ``Network/tcpKeepAlive``.
  public static let tcpOptions = Capabilities(rawValue: 1 << 52)
  /// ``Network/tcpUserTimeout``.
  public static let tcpUserTimeout = Capabilities(rawValue: 1 << 9)
  /// ``Options/addressPolicy``.
  public static let addressPolicy = Capabilities(rawValue: 1 << 53)
  /// ``Options/authentication``.
  public static let authentication = Capabilities(rawValue: 1 << 54)
  /// ``TransferRates/maximumSend`` and ``TransferRates/maximumReceive``.
  public static let rateLimits = Capabilities(rawValue: 1 << 55)
  /// ``TransferRates/minimum``.
  public static let minimumRate = Capabilities(rawValue: 1 << 56)
  /// ``Timeouts/resolve``, ``Timeouts/tls``, ``Timeouts/firstByte`` and ``Timeouts/totalFromStart``.
  public static let phaseTimeouts = Capabilities(rawValue: 1 << 57)
  /// ``Options/acceptsHTTP0_9``.
  public static let http0_9 = Capabilities(rawValue: 1 << 8)
  /// ``HTTPVersionPolicy/http1_0``.
  public static let http1_0 = Capabilities(rawValue: 1 << 58)
  /// ``HTTPVersionPolicy/http2PriorKnowledge``.
  public static let http2PriorKnowledge = Capabilities(rawValue: 1 << 59)
  /// ``HTTPVersionPolicy/http3``.
  public static let http3 = Capabilities(rawValue: 1 << 60)
  /// ``RequestTarget/verbatim(_:)``.
  public static let verbatimTarget = Capabilities(rawValue: 1 << 61)
  /// ``Options/requestTrailers``.
  public static let requestTrailers = Capabilities(rawValue: 1 << 62)
  /// ``Options/onRawHead``.
  public static let rawHeads = Capabilities(rawValue: 1 << 63)
  /// ``Options/onTrace``.
  public static let trace = Capabilities(rawValue: 1 << 5)

  /// A capability with its name and meaning, for tables.
  public struct Entry: Sendable {
    /// The name of its static member.
    public let name: String
    /// The capability.
    public let capability: Capabilities
    /// What it is, in a few words.
    public let meaning: String
  }

  /// All capabilities, in the order of a table.
  public static let entries: [Entry] = [
    Entry(name: "customMethods", capability: .customMethods, meaning: "methods other than those of RFC 9110"),
    Entry(name: "bodyOnGet", capability: .bodyOnGet, meaning: "a body on GET"),
    Entry(name: "exactHeaders", capability: .exactHeaders, meaning: "header fields sent in order, none added"),
    Entry(name: "repeatedHeaders", capability: .repeatedHeaders, meaning: "repeated header fields stay repeated"),
    Entry(name: "dotSegments", capability: .dotSegments, meaning: "`/./` and `/../` in a path sent as they are"),
    Entry(name: "asteriskTarget", capability: .asteriskTarget, meaning: "`OPTIONS *`"),
    Entry(name: "streamedUpload", capability: .streamedUpload, meaning: "request bodies from a file or a sequence"),
    Entry(name: "expectContinue", capability: .expectContinue, meaning: "`Expect: 100-continue`"),
    Entry(name: "expectationFailed", capability: .expectationFailed, meaning: "a 417 is answered without `Expect`"),
    Entry(name: "duplex", capability: .duplex, meaning: "a body sent as it comes, the response seen meanwhile"),
    Entry(name: "neverResends", capability: .neverResends, meaning: "a POST sent once, though its connection dies"),
    Entry(name: "uploadReuse", capability: .uploadReuse, meaning: "uploads over kept connections"),
    Entry(name: "cleanConnections", capability: .cleanConnections, meaning: "bytes nobody asked for answer no request"),
    Entry(name: "uploadProgress", capability: .uploadProgress, meaning: "`options.onUploadProgress`"),
    Entry(name: "streamedDownload", capability: .streamedDownload, meaning: "`options.delivery = .streamed`"),
    Entry(name: "backpressure", capability: .backpressure, meaning: "a reader that stops, stops the server"),
    Entry(name: "informational", capability: .informational, meaning: "`options.onInformational`"),
    Entry(name: "trailers", capability: .trailers, meaning: "`response.trailers`"),
    Entry(name: "truncatedHeads", capability: .truncatedHeads, meaning: "a response cut off in its head is an error"),
    Entry(name: "strictFraming", capability: .strictFraming, meaning: "a response of doubtful framing is an error"),
    Entry(name: "truncatedTLS", capability: .truncatedTLS, meaning: "a TLS body cut off without `close_notify` is an error"),
    Entry(
      name: "encodedBodies", capability: .encodedBodies, meaning: "compressed bodies as they were sent; `options.decompression`"),
    Entry(name: "queueTimeout", capability: .queueTimeout, meaning: "`options.timeouts.queue`"),
    Entry(name: "connectTimeout", capability: .connectTimeout, meaning: "`options.timeouts.connect`"),
    Entry(name: "idleTimeout", capability: .idleTimeout, meaning: "`options.timeouts.idle`"),
    Entry(name: "idleOnWire", capability: .idleOnWire, meaning: "which counts every byte on the wire"),
    Entry(name: "totalTimeout", capability: .totalTimeout, meaning: "`options.timeouts.total`"),
    Entry(name: "http2", capability: .http2, meaning: "`options.httpVersion = .http2`"),
    Entry(name: "http1Only", capability: .http1Only, meaning: "`options.httpVersion = .http1`"),
    Entry(name: "responseVersion", capability: .responseVersion, meaning: "`response.version`"),
    Entry(name: "customCA", capability: .customCA, meaning: "`options.tls.caFile`"),
    Entry(name: "unverifiedTLS", capability: .unverifiedTLS, meaning: "`options.tls.verifiesServer = false`"),
    Entry(name: "tlsAuthorities", capability: .tlsAuthorities, meaning: "`options.tls.caDirectory`, `caCertificates`"),
    Entry(name: "clientCertificates", capability: .clientCertificates, meaning: "`options.tls.clientCertificate`: mutual TLS"),
    Entry(name: "revocationLists", capability: .revocationLists, meaning: "`options.tls.revocationLists`"),
    Entry(name: "pinnedPublicKeys", capability: .pinnedPublicKeys, meaning: "`options.tls.pinnedPublicKeys`"),
    Entry(name: "tlsVersions", capability: .tlsVersions, meaning: "`options.tls.minimumVersion`, `maximumVersion`"),
    Entry(name: "tlsCiphers", capability: .tlsCiphers, meaning: "`options.tls.ciphers`, `cipherSuites`"),
    Entry(name: "tlsHandshake", capability: .tlsHandshake, meaning: "`options.tls.resumesSessions`, `negotiatesProtocol`"),
    Entry(name: "peerCertificates", capability: .peerCertificates, meaning: "`options.tls.reportsPeerCertificates`, `verifier`"),
    Entry(name: "proxies", capability: .proxies, meaning: "`options.proxy`"),
    Entry(name: "unixSockets", capability: .unixSockets, meaning: "`options.network.unixSocket`"),
    Entry(name: "otherAddresses", capability: .otherAddresses, meaning: "`options.network.hostOverrides`, `connectTo`"),
    Entry(name: "dnsServers", capability: .dnsServers, meaning: "`options.network.dnsServers`"),
    Entry(name: "dnsOverHTTPS", capability: .dnsOverHTTPS, meaning: "`options.network.dnsOverHTTPS`"),
    Entry(name: "localAddress", capability: .localAddress, meaning: "`options.network.localAddress`, `localPorts`"),
    Entry(name: "ipVersion", capability: .ipVersion, meaning: "`options.network.ipVersion`, `happyEyeballsDelay`"),
    Entry(name: "tcpOptions", capability: .tcpOptions, meaning: "`options.network.tcpNoDelay`, `tcpKeepAlive`"),
    Entry(name: "tcpUserTimeout", capability: .tcpUserTimeout, meaning: "`options.network.tcpUserTimeout`"),
    Entry(
      name: "addressPolicy", capability: .addressPolicy, meaning: "`options.addressPolicy`, on the address that is connected to"),
    Entry(name: "authentication", capability: .authentication, meaning: "`options.authentication`: Digest, NTLM, Negotiate"),
    Entry(name: "rateLimits", capability: .rateLimits, meaning: "`options.rates.maximumSend`, `maximumReceive`"),
    Entry(name: "minimumRate", capability: .minimumRate, meaning: "`options.rates.minimum`"),
    Entry(
      name: "phaseTimeouts", capability: .phaseTimeouts,
      meaning: "`options.timeouts.resolve`, `tls`, `firstByte`, `totalFromStart`"),
    Entry(name: "http0_9", capability: .http0_9, meaning: "`options.acceptsHTTP0_9`: a response without a head"),
    Entry(name: "http1_0", capability: .http1_0, meaning: "`options.httpVersion = .http1_0`"),
    Entry(name: "http2PriorKnowledge", capability: .http2PriorKnowledge, meaning: "`options.httpVersion = .http2PriorKnowledge`"),
    Entry(name: "http3", capability: .http3, meaning: "`options.httpVersion = .http3`"),
    Entry(name: "verbatimTarget", capability: .verbatimTarget, meaning: "`options.requestTarget = .verbatim(…)`"),
    Entry(name: "requestTrailers", capability: .requestTrailers, meaning: "`options.requestTrailers`"),
    Entry(name: "rawHeads", capability: .rawHeads, meaning: "`options.onRawHead`"),
    Entry(name: "trace", capability: .trace, meaning: "`options.onTrace`"),
    Entry(name: "metrics", capability: .metrics, meaning: "`response.metrics`, every phase"),
  ]

  /// All capabilities.
  public static let all = entries.reduce(into: Capabilities()) { $0.formUnion($1.capability) }

  /// The names of the capabilities in the set.
  public var names: [String] { Self.entries.filter { contains($0.capability) }.map(\.name) }
}
