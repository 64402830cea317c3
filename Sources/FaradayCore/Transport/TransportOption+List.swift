// A new option needs a capability and a row here. .github/CONTRIBUTING.md lists the other places.

extension Capabilities {
  /// Methods that RFC 9110 does not define.
  public static let customMethods = Capabilities("customMethods")
  /// A body on GET.
  public static let bodyOnGet = Capabilities("bodyOnGet")
  /// Streamed request bodies, from a file or an async sequence.
  public static let streamedUpload = Capabilities("streamedUpload")
  /// Waiting for `100 Continue` when the request has `Expect: 100-continue`.
  public static let expectContinue = Capabilities("expectContinue")
  /// ``Options/onUploadProgress``.
  public static let uploadProgress = Capabilities("uploadProgress")
  /// ``Delivery/streamed``.
  public static let streamedDownload = Capabilities("streamedDownload")
  /// Backpressure: a reader that pauses slows the server down.
  public static let backpressure = Capabilities("backpressure")
  /// ``Options/onInformational``.
  public static let informational = Capabilities("informational")
  /// Trailers of a response.
  public static let trailers = Capabilities("trailers")
  /// Repeated header fields stay repeated.
  public static let repeatedHeaders = Capabilities("repeatedHeaders")
  /// ``Timeouts/connect``.
  public static let connectTimeout = Capabilities("connectTimeout")
  /// ``Timeouts/idle``.
  public static let idleTimeout = Capabilities("idleTimeout")
  /// ``Timeouts/total``.
  public static let totalTimeout = Capabilities("totalTimeout")
  /// HTTP/2 over TLS.
  public static let http2 = Capabilities("http2")
  /// ``TLS/caFile``.
  public static let customCA = Capabilities("customCA")
  /// ``TLS/verifiesServer`` disabled.
  public static let unverifiedTLS = Capabilities("unverifiedTLS")
  /// ``Response/metrics`` of every phase.
  public static let metrics = Capabilities("metrics")

  /// Header fields are sent unchanged, in order and case. Only `Host`, the body's framing and `Connection: TE` are added.
  public static let exactHeaders = Capabilities("exactHeaders")
  /// A path with `.` or `..` segments is sent unchanged.
  public static let dotSegments = Capabilities("dotSegments")
  /// Full duplex: each piece of a streamed request body is sent at once, and the response can arrive at the same time.
  public static let duplex = Capabilities("duplex")
  /// ``HTTPVersionPolicy/http1``: HTTP/1.1 only.
  public static let http1Only = Capabilities("http1Only")
  /// ``Response/version`` is the HTTP version of the response.
  public static let responseVersion = Capabilities("responseVersion")
  /// A body is returned without decoding its `Content-Encoding`. ``Options/decompression`` needs this capability.
  public static let encodedBodies = Capabilities("encodedBodies")
  /// A request that is not idempotent (POST, PATCH, custom methods) is never sent twice when its connection breaks.
  public static let neverResends = Capabilities("neverResends")
  /// A response with a truncated head is an error that does not affect other requests.
  public static let truncatedHeads = Capabilities("truncatedHeads")
  /// ``RequestTarget/asterisk``.
  public static let asteriskTarget = Capabilities("asteriskTarget")
  /// Unsolicited bytes never become the response of the next request: an idle connection that has received bytes is not reused.
  public static let cleanConnections = Capabilities("cleanConnections")
  /// A TLS body that ends with the connection's close, but without a `close_notify`, is an error (truncation attack, RFC 9112,
  /// section 9.8).
  public static let truncatedTLS = Capabilities("truncatedTLS")
  /// A response with ambiguous framing is an error (response smuggling, RFC 9112, sections 2 to 7).
  public static let strictFraming = Capabilities("strictFraming")
  /// After a 417 the request is sent again without `Expect` (RFC 9110, section 10.1.1).
  public static let expectationFailed = Capabilities("expectationFailed")
  /// ``Timeouts/idle`` counts every byte on the wire: incomplete lines, framing, and bytes that a slow server reads from the
  /// socket buffer.
  public static let idleOnWire = Capabilities("idleOnWire")
  /// ``Timeouts/queue``.
  public static let queueTimeout = Capabilities("queueTimeout")
  /// Requests with a body, and requests that are not idempotent, reuse and keep connections of the pool.
  public static let uploadReuse = Capabilities("uploadReuse")
  /// ``TLS/caDirectory`` and ``TLS/caCertificates``.
  public static let tlsAuthorities = Capabilities("tlsAuthorities")
  /// ``TLS/clientCertificate``.
  public static let clientCertificates = Capabilities("clientCertificates")
  /// ``TLS/revocationLists``.
  public static let revocationLists = Capabilities("revocationLists")
  /// ``TLS/pinnedPublicKeys``.
  public static let pinnedPublicKeys = Capabilities("pinnedPublicKeys")
  /// ``TLS/minimumVersion`` and ``TLS/maximumVersion``.
  public static let tlsVersions = Capabilities("tlsVersions")
  /// ``TLS/tls12Ciphers`` and ``TLS/tls13Ciphers``.
  public static let tlsCiphers = Capabilities("tlsCiphers")
  /// ``TLS/resumesSessions`` and ``TLS/negotiatesProtocol`` disabled.
  public static let tlsHandshake = Capabilities("tlsHandshake")
  /// ``TLS/sendsEarlyData``: requests with the TLS 1.3 handshake (0-RTT).
  public static let earlyData = Capabilities("earlyData")
  /// ``TLS/reportsPeerCertificates`` and ``TLS/verifier``.
  public static let peerCertificates = Capabilities("peerCertificates")
  /// ``Options/proxy``: a proxy of one request.
  public static let proxies = Capabilities("proxies")
  /// ``Network/unixSocket``.
  public static let unixSockets = Capabilities("unixSockets")
  /// ``Network/hostOverrides`` and ``Network/connectTo``.
  public static let otherAddresses = Capabilities("otherAddresses")
  /// ``Network/dnsServers``.
  public static let dnsServers = Capabilities("dnsServers")
  /// ``Network/dnsOverHTTPS``.
  public static let dnsOverHTTPS = Capabilities("dnsOverHTTPS")
  /// ``Network/localAddress`` and ``Network/localPorts``.
  public static let localAddress = Capabilities("localAddress")
  /// ``Network/ipVersion`` and ``Network/happyEyeballsDelay``.
  public static let ipVersion = Capabilities("ipVersion")
  /// ``Network/tcpNoDelay`` and ``Network/tcpKeepAlive``.
  public static let tcpOptions = Capabilities("tcpOptions")
  /// ``Network/tcpUserTimeout``.
  public static let tcpUserTimeout = Capabilities("tcpUserTimeout")
  /// ``Options/addressPolicy``.
  public static let addressPolicy = Capabilities("addressPolicy")
  /// ``Options/authentication``.
  public static let authentication = Capabilities("authentication")
  /// ``TransferRates/maximumSend`` and ``TransferRates/maximumReceive``.
  public static let rateLimits = Capabilities("rateLimits")
  /// ``TransferRates/minimum``.
  public static let minimumRate = Capabilities("minimumRate")
  /// ``Timeouts/resolve``, ``Timeouts/tls``, ``Timeouts/firstByte`` and ``Timeouts/totalExcludingQueue``.
  public static let phaseTimeouts = Capabilities("phaseTimeouts")
  /// ``Options/acceptsHTTP0_9``.
  public static let http0_9 = Capabilities("http0_9")
  /// ``HTTPVersionPolicy/http1_0``.
  public static let http1_0 = Capabilities("http1_0")
  /// ``HTTPVersionPolicy/http2PriorKnowledge``.
  public static let http2PriorKnowledge = Capabilities("http2PriorKnowledge")
  /// ``HTTPVersionPolicy/http3``.
  public static let http3 = Capabilities("http3")
  /// ``RequestTarget/verbatim(_:)``.
  public static let verbatimTarget = Capabilities("verbatimTarget")
  /// ``Options/requestTrailers``.
  public static let requestTrailers = Capabilities("requestTrailers")
  /// ``Options/upgrade``.
  public static let upgrade = Capabilities("upgrade")
  /// ``Options/onRawHead``.
  public static let rawHeads = Capabilities("rawHeads")
  /// ``Options/onTrace``.
  public static let trace = Capabilities("trace")
}

extension TransportOption {
  /// All rows, in the order of the table of capabilities.
  package static let all: [TransportOption] =
    messages + bodies + responses + versions + timeouts + tls + network + connections + callbacks

  /// Methods, header fields, request targets.
  private static let messages: [TransportOption] = [
    .request(
      .customMethods, "methods other than those of RFC 9110",
      when: { $0.method != .get && !HTTPRequest.Method.registered.contains($0.method) },
      example: { $0.method = HTTPRequest.Method("PURGE") ?? $0.method }),
    .request(
      .bodyOnGet, "a body on GET", when: { !$0.body.isEmpty && $0.method == .get }, example: { $0.body = "body" }),
    .feature(.exactHeaders, "header fields sent in order, none added"),
    .feature(.repeatedHeaders, "repeated header fields stay repeated"),
    .request(
      .dotSegments, "`/./` and `/../` in a path sent unchanged", when: { $0.url.hasDotSegments },
      example: { $0 = try Request($0.url.absoluteString + "/../hello") }),
    .option(
      "requestTarget = .asterisk", .asteriskTarget, "`OPTIONS *`", curl: .other("--request-target"),
      when: { $0.requestTarget == .asterisk },
      check: { request in
        guard request.options.requestTarget == .asterisk, request.method != .options else { return nil }
        return Problem(.invalidMethod, "is `*`, which is allowed with OPTIONS only")
      },
      with: { $0.method = .options }, example: { $0.requestTarget = .asterisk }),
    .option(
      "requestTarget = .verbatim(…)", .verbatimTarget, curl: .other("--request-target"),
      when: { if case .verbatim = $0.requestTarget { true } else { false } },
      check: { request in
        guard case .verbatim(let target) = request.options.requestTarget else { return nil }
        guard target.isEmpty || !target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return Problem(.invalidURL, "is empty, or has a space or a character that is not ASCII")
      },
      example: { $0.requestTarget = .verbatim("/") }),
    .uncommon(
      "upgrade", .upgrade, "the connection switches to another protocol, as a WebSocket does", when: { $0.upgrade != nil },
      check: { request, fields in fields.upgrade.flatMap { upgradeProblem($0, in: request) } },
      with: { $0.options.delivery = .streamed }, example: { $0.upgrade = Upgrade(to: "websocket") }),
  ]

  private static func unixSocketProblem(_ fields: UncommonOptions.Fields) -> Problem? {
    guard fields.network.unixSocket != nil, case .proxy = fields.proxy else { return nil }
    return "cannot be combined with a proxy"
  }

  /// The reason why no adapter can send a request that switches to that protocol.
  private static func upgradeProblem(_ upgrade: Upgrade, in request: Request) -> Problem? {
    let parts = upgrade.name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ HTTPField.Name(String($0)) != nil }) else {
      return "is not the name of a protocol, such as websocket or name/version"
    }
    let options = request.options
    guard request.method == .get else { return Problem(.invalidMethod, "needs the method GET") }
    guard request.body.isEmpty else { return Problem(.invalidBody, "needs an empty body: no body is sent before the switch") }
    guard upgrade.body.isEmpty || upgrade.body.isStreamed && upgrade.body.length == nil else {
      return Problem(.invalidBody, "needs a stream of unknown length, or nothing, to send after the switch")
    }
    guard options.delivery == .streamed || options.onChunk != nil else {
      return "needs `delivery = .streamed` or `onChunk`: the response ends with the connection"
    }
    guard options.httpVersion == .automatic || options.httpVersion == .http1 else {
      return "is a feature of HTTP/1.1, and needs `httpVersion = .automatic` or `.http1`"
    }
    guard options.authentication == nil else { return "cannot be combined with `authentication`" }
    guard options.requestTrailers == nil else { return "cannot be combined with `requestTrailers`" }
    let fields: [HTTPField.Name] = [.upgrade, .connection, .expect, .transferEncoding, .contentLength, .te]
    guard let field = fields.first(where: request.headers.contains) else { return nil }
    return Problem(.invalidHeader, "cannot be combined with a header field \(field.rawName)")
  }

  /// Sending the request's body.
  private static let bodies: [TransportOption] = [
    .request(
      .streamedUpload, "request bodies from a file or a sequence", when: { $0.body.isStreamed }, example: { $0.setStreamedBody() }
    ),
    .uncommon(
      "expectContinue", .expectContinue, curl: .other("--expect100-timeout"), when: { $0.expectContinue != nil },
      example: { $0.expectContinue = ExpectContinue() }),
    .request(
      .expectContinue, "`Expect: 100-continue`", when: { $0.headers.contains(.expect) },
      example: { $0.headers[.expect] = "100-continue" }),
    .feature(.expectationFailed, "after a 417 the request is sent again without `Expect`"),
    .request(
      .duplex, "a streamed body is sent while the response is received",
      when: { $0.body.length == nil && $0.headers.contains(.transferEncoding) },
      example: {
        $0.setStreamedBody()
        $0.headers[.transferEncoding] = "chunked"
      }),
    .uncommon(
      "requestTrailers", .requestTrailers, when: { $0.requestTrailers != nil },
      check: { request, fields in
        guard fields.requestTrailers != nil else { return nil }
        guard request.body.length == nil, !request.body.isEmpty else {
          return "needs a body of unknown length, which is sent in chunks"
        }
        guard [.automatic, .http1].contains(request.options.httpVersion) else {
          return "is a feature of HTTP/1.1, and needs `httpVersion = .automatic` or `.http1`"
        }
        return nil
      },
      with: { $0.setStreamedBody() }, example: { $0.requestTrailers = { [:] } }),
    .feature(.neverResends, "a POST is never sent twice when its connection breaks"),
    .feature(.uploadReuse, "uploads use connections of the pool"),
    .feature(.cleanConnections, "unsolicited bytes never become a response"),
  ]

  /// Delivering the response.
  private static let responses: [TransportOption] = [
    .option(
      "delivery = .streamed", .streamedDownload, when: { $0.delivery == .streamed && $0.onChunk == nil },
      example: { $0.delivery = .streamed }),
    .feature(.backpressure, "a reader that pauses slows the server down"),
    .feature(.trailers, "`response.trailers`"),
    .feature(.truncatedHeads, "a response with a truncated head is an error"),
    .feature(.strictFraming, "a response with ambiguous framing is an error"),
    .feature(.truncatedTLS, "a TLS body that ends without `close_notify` is an error"),
    .option(
      "decompression", .encodedBodies, "a compressed body is returned as it was sent", curl: .word("--compressed"),
      when: { $0.decompression != nil }, example: { $0.decompression = .standard }),
  ]

  /// HTTP versions.
  private static let versions: [TransportOption] = [
    .uncommon(
      "acceptsHTTP0_9", .http0_9, "a response without a head",
      curl: .flag("--http0.9", help: "Accept a response without a head"), when: { $0.acceptsHTTP0_9 },
      example: { $0.acceptsHTTP0_9 = true }),
    .option(
      "httpVersion = .http1_0", .http1_0, curl: .word("--http1.0"), when: { $0.httpVersion == .http1_0 },
      example: { $0.httpVersion = .http1_0 }),
    .option(
      "httpVersion = .http1", .http1Only, curl: .word("--http1.1"), when: { $0.httpVersion == .http1 },
      example: { $0.httpVersion = .http1 }),
    .option(
      "httpVersion = .http2", .http2, curl: .word("--http2"), when: { $0.httpVersion == .http2 },
      example: { $0.httpVersion = .http2 }),
    .option(
      "httpVersion = .http2PriorKnowledge", .http2PriorKnowledge, curl: .word("--http2-prior-knowledge"),
      when: { $0.httpVersion == .http2PriorKnowledge }, example: { $0.httpVersion = .http2PriorKnowledge }),
    .option(
      "httpVersion = .http3", .http3, curl: .word("--http3"), when: { $0.httpVersion == .http3 },
      example: { $0.httpVersion = .http3 }),
    .feature(.responseVersion, "`response.version`"),
  ]

  /// Timeouts and rates. The defaults of connect and idle need no capability: an adapter without these timeouts has no limit.
  private static let timeouts: [TransportOption] = [
    .option(
      "timeouts.queue", .queueTimeout, when: { $0.timeouts.queue != nil }, example: { $0.timeouts.queue = .seconds(1) }),
    .option(
      "timeouts.connect", .connectTimeout, curl: .other("--connect-timeout"),
      when: { $0.timeouts.connect != nil && $0.timeouts.connect != Timeouts().connect },
      example: { $0.timeouts.connect = .seconds(1) }),
    .option(
      "timeouts.idle", .idleTimeout, when: { $0.timeouts.idle != nil && $0.timeouts.idle != Timeouts().idle },
      example: { $0.timeouts.idle = .seconds(1) }),
    .feature(.idleOnWire, "`options.timeouts.idle` counts every byte on the wire"),
    .option(
      "timeouts.total", .totalTimeout, curl: .other("--max-time"), when: { $0.timeouts.total != nil },
      check: { request in
        // Thrown here, because an engine's timer would race with the response.
        guard let total = request.options.timeouts.total, total <= .zero else { return nil }
        return Problem(.totalTimeout, "is \(total), which leaves no time to send the request")
      },
      example: { $0.timeouts.total = .seconds(1) }),
    .option(
      "timeouts.resolve", .phaseTimeouts, when: { $0.timeouts.resolve != nil }, example: { $0.timeouts.resolve = .seconds(1) }),
    .option("timeouts.tls", .phaseTimeouts, when: { $0.timeouts.tls != nil }, example: { $0.timeouts.tls = .seconds(1) }),
    .option(
      "timeouts.firstByte", .phaseTimeouts, when: { $0.timeouts.firstByte != nil },
      example: { $0.timeouts.firstByte = .seconds(1) }),
    .option(
      "timeouts.totalExcludingQueue", .phaseTimeouts, when: { $0.timeouts.totalExcludingQueue != nil },
      example: { $0.timeouts.totalExcludingQueue = .seconds(1) }),
    .uncommon(
      "rates.maximumSend", .rateLimits, curl: .other("--limit-rate"), when: { $0.rates.maximumSend != nil },
      check: { positive($1.rates.maximumSend) }, example: { $0.rates.maximumSend = 1 }),
    .uncommon(
      "rates.maximumReceive", .rateLimits, curl: .other("--limit-rate"), when: { $0.rates.maximumReceive != nil },
      check: { positive($1.rates.maximumReceive) }, example: { $0.rates.maximumReceive = 1 }),
    .uncommon(
      "rates.minimum", .minimumRate, curl: .other("--speed-limit"), when: { $0.rates.minimum != nil },
      check: { positive($1.rates.minimum) }, example: { $0.rates.minimum = 1 }),
  ]

  /// TLS. The checks apply to the TLS options of a proxy too.
  private static let tls: [TransportOption] = [
    .uncommon(
      "tls.caFile", .customCA, curl: .value("--cacert") { $0.tls.caFile }, when: { $0.tls.caFile != nil },
      check: { $1.tls.caFile?.utf8.contains(0) == true ? Problem(.invalidCA, "contains a NUL character") : nil },
      example: { $0.tls.caFile = "/ca.pem" }),
    .uncommon(
      "tls.caDirectory", .tlsAuthorities, curl: .value("--capath") { $0.tls.caDirectory }, when: { $0.tls.caDirectory != nil },
      check: { text($1.tls.caDirectory) }, example: { $0.tls.caDirectory = "/ca" }),
    .uncommon(
      "tls.caCertificates", .tlsAuthorities, when: { $0.tls.caCertificates != nil },
      example: { $0.tls.caCertificates = Data() }),
    .uncommon(
      "tls.verifiesServer", .unverifiedTLS, curl: .other("--insecure"), when: { !$0.tls.verifiesServer },
      example: { $0.tls.verifiesServer = false }),
    .uncommon(
      "tls.verifiesCertificate", .unverifiedTLS, when: { !$0.tls.verifiesCertificate },
      example: { $0.tls.verifiesCertificate = false }),
    .uncommon(
      "tls.verifiesHostName", .unverifiedTLS, when: { !$0.tls.verifiesHostName },
      example: { $0.tls.verifiesHostName = false }),
    .uncommon(
      "tls.revocationLists", .revocationLists, curl: .value("--crlfile") { $0.tls.revocationLists },
      when: { $0.tls.revocationLists != nil }, check: { text($1.tls.revocationLists) },
      example: { $0.tls.revocationLists = "/crl.pem" }),
    .uncommon(
      "tls.pinnedPublicKeys", .pinnedPublicKeys,
      curl: .value("--pinnedpubkey") { $0.tls.pinnedPublicKeys.map { "sha256//" + $0 }.joined(separator: ";") },
      when: { !$0.tls.pinnedPublicKeys.isEmpty },
      check: {
        let isValid = $1.tls.pinnedPublicKeys.allSatisfy { Data(base64Encoded: $0)?.count == 32 }
        return isValid ? nil : "contains a value that is not the base64 of a SHA-256 hash"
      },
      example: { $0.tls.pinnedPublicKeys = [Data(count: 32).base64EncodedString()] }),
    .uncommon(
      "tls.clientCertificate", .clientCertificates, "mutual TLS", curl: .other("--cert"),
      when: { $0.tls.clientCertificate != nil }, check: { $1.tls.clientCertificate?.problem },
      example: { $0.tls.clientCertificate = .pem(.file("/client.pem")) }),
    .uncommon(
      "tls.minimumVersion", .tlsVersions, curl: .other("--tlsv1.0, --tlsv1.1, --tlsv1.3"),
      when: { $0.tls.minimumVersion != .v1_2 },
      example: { $0.tls.minimumVersion = .v1_3 }),
    .uncommon(
      "tls.maximumVersion", .tlsVersions, curl: .other("--tls-max"), when: { $0.tls.maximumVersion != nil },
      check: {
        guard let maximum = $1.tls.maximumVersion, maximum < $1.tls.minimumVersion else { return nil }
        return "is below the minimum version"
      },
      example: { $0.tls.maximumVersion = .v1_2 }),
    .uncommon(
      "tls.tls12Ciphers", .tlsCiphers, curl: .value("--ciphers") { $0.tls.tls12Ciphers }, when: { $0.tls.tls12Ciphers != nil },
      check: { text($1.tls.tls12Ciphers) }, example: { $0.tls.tls12Ciphers = "HIGH" }),
    .uncommon(
      "tls.tls13Ciphers", .tlsCiphers, curl: .value("--tls13-ciphers") { $0.tls.tls13Ciphers },
      when: { $0.tls.tls13Ciphers != nil }, check: { text($1.tls.tls13Ciphers) },
      example: { $0.tls.tls13Ciphers = "TLS_AES_128_GCM_SHA256" }),
    .uncommon(
      "tls.resumesSessions", .tlsHandshake, curl: .word("--no-sessionid"), when: { !$0.tls.resumesSessions },
      example: { $0.tls.resumesSessions = false }),
    .uncommon(
      "tls.negotiatesProtocol", .tlsHandshake, curl: .word("--no-alpn"), when: { !$0.tls.negotiatesProtocol },
      example: { $0.tls.negotiatesProtocol = false }),
    .uncommon(
      "tls.sendsEarlyData", .earlyData, "0-RTT", when: { $0.tls.sendsEarlyData },
      example: { $0.tls.sendsEarlyData = true }),
    .uncommon(
      "tls.reportsPeerCertificates", .peerCertificates, when: { $0.tls.reportsPeerCertificates },
      example: { $0.tls.reportsPeerCertificates = true }),
    .uncommon(
      "tls.verifier", .peerCertificates, when: { $0.tls.verifier != nil },
      example: { $0.tls.verifier = CertificateVerifier { _, _ in true } }),
  ]

  /// Network options.
  private static let network: [TransportOption] = [
    .uncommon(
      "network.unixSocket", .unixSockets, curl: .other("--unix-socket"), when: { $0.network.unixSocket != nil },
      check: { text($1.network.unixSocket) ?? unixSocketProblem($1) }, example: { $0.network.unixSocket = "/socket" }),
    .uncommon(
      "network.hostOverrides", .otherAddresses, curl: .other("--resolve"), when: { !$0.network.hostOverrides.isEmpty },
      check: { $1.network.hostOverrides.lazy.compactMap(\.problem).first },
      example: { $0.network.hostOverrides = [HostOverride("*", addresses: ["::1"])] }),
    .uncommon(
      "network.connectTo", .otherAddresses, curl: .other("--connect-to"), when: { !$0.network.connectTo.isEmpty },
      check: { $1.network.connectTo.lazy.compactMap(\.problem).first },
      example: { $0.network.connectTo = [ConnectTo(toPort: 1)] }),
    .uncommon(
      "network.dnsServers", .dnsServers, curl: .value("--dns-servers") { $0.network.dnsServers.joined(separator: ",") },
      when: { !$0.network.dnsServers.isEmpty },
      check: {
        let isValid = $1.network.dnsServers.allSatisfy { address in
          address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
        }
        return isValid ? nil : "contains a value that is not an address"
      },
      example: { $0.network.dnsServers = ["127.0.0.1"] }),
    .uncommon(
      "network.dnsOverHTTPS", .dnsOverHTTPS, curl: .other("--doh-url"), when: { $0.network.dnsOverHTTPS != nil },
      check: { text($1.network.dnsOverHTTPS) }, example: { $0.network.dnsOverHTTPS = "https://127.0.0.1/" }),
    .uncommon(
      "network.localAddress", .localAddress, curl: .value("--interface") { $0.network.localAddress },
      when: { $0.network.localAddress != nil }, check: { text($1.network.localAddress) },
      example: { $0.network.localAddress = "127.0.0.1" }),
    .uncommon(
      "network.localPorts", .localAddress,
      curl: .value("--local-port") { $0.network.localPorts.map { "\($0.lowerBound)-\($0.upperBound)" } },
      when: { $0.network.localPorts != nil },
      check: { $1.network.localPorts?.lowerBound == 0 ? "begins with 0, which is not a port" : nil },
      example: { $0.network.localPorts = 1...2 }),
    .uncommon(
      "network.ipVersion", .ipVersion, curl: .other("--ipv4, --ipv6"), when: { $0.network.ipVersion != .any },
      example: { $0.network.ipVersion = .v4 }),
    .uncommon(
      "network.happyEyeballsDelay", .ipVersion, curl: .other("--happy-eyeballs-timeout-ms"),
      when: { $0.network.happyEyeballsDelay != nil }, example: { $0.network.happyEyeballsDelay = .seconds(1) }),
    .uncommon(
      "network.tcpNoDelay", .tcpOptions, curl: .word("--no-tcp-nodelay"), when: { !$0.network.tcpNoDelay },
      example: { $0.network.tcpNoDelay = false }),
    .uncommon(
      "network.tcpKeepAlive", .tcpOptions, curl: .other("--keepalive-time"),
      when: { $0.network.tcpKeepAlive != Network().tcpKeepAlive }, example: { $0.network.tcpKeepAlive = nil }),
    .uncommon(
      "network.tcpUserTimeout", .tcpUserTimeout, when: { $0.network.tcpUserTimeout != nil },
      example: { $0.network.tcpUserTimeout = .seconds(20) }),
  ]

  /// Proxies, policies, credentials.
  private static let connections: [TransportOption] = [
    .uncommon(
      "proxy", .proxies, curl: .other("--proxy"), when: { $0.proxy != .automatic },
      check: { request, fields in
        if case .proxy(let proxy) = fields.proxy { proxy.problem(in: request) } else { nil }
      },
      example: { $0.proxy = .direct }),
    .uncommon(
      "addressPolicy", .addressPolicy, "checked on the address that is connected to", when: { $0.addressPolicy != nil },
      example: { $0.addressPolicy = .publicOnly }),
    .uncommon(
      "authentication", .authentication, "Digest, NTLM, Negotiate", curl: .other("--digest, --ntlm, --negotiate"),
      when: { $0.authentication != nil }, check: { $1.authentication?.problem },
      example: { $0.authentication = TransportAuthentication(user: "u", password: "p", schemes: .digest) }),
  ]

  /// Callbacks and metrics.
  private static let callbacks: [TransportOption] = [
    .option(
      "onUploadProgress", .uploadProgress, when: { $0.onUploadProgress != nil }, example: { $0.onUploadProgress = { _ in } }),
    .option(
      "onInformational", .informational, when: { $0.onInformational != nil }, example: { $0.onInformational = { _ in } }),
    .uncommon("onRawHead", .rawHeads, when: { $0.onRawHead != nil }, example: { $0.onRawHead = { _ in } }),
    .uncommon("onTrace", .trace, when: { $0.onTrace != nil }, example: { $0.onTrace = { _ in } }),
    .feature(.metrics, "`response.metrics`, every phase"),
  ]
}

// MARK: checks of values

extension TransportOption {
  /// The problem of a rate that is not positive.
  fileprivate static func positive(_ rate: Int?) -> Problem? { rate.map { $0 < 1 } == true ? "is less than 1" : nil }

  /// The problem of a text that a C library could not represent.
  fileprivate static func text(_ text: String?) -> Problem? {
    guard let text, text.utf8.contains(0) || text.isEmpty else { return nil }
    return "is empty or contains a NUL character"
  }

  fileprivate static func isPort(_ port: Int?) -> Bool { port.map { (1...65_535).contains($0) } ?? true }
}

extension HostOverride {
  fileprivate var problem: TransportOption.Problem? {
    guard !host.isEmpty, !host.utf8.contains(0) else { return "has a host that is empty or contains a NUL character" }
    guard !addresses.isEmpty, addresses.allSatisfy({ IPAddress($0) != nil }) else {
      return "has no IP address, or an invalid one, for \(host.bounded())"
    }
    return TransportOption.isPort(port) ? nil : "has a port that is not a number from 1 to 65535"
  }
}

extension ConnectTo {
  fileprivate var problem: TransportOption.Problem? {
    for host in [host, toHost].compactMap(\.self) where host.isEmpty || host.utf8.contains(0) {
      return "has a host that is empty or contains a NUL character"
    }
    let isValid = TransportOption.isPort(port) && TransportOption.isPort(toPort)
    return isValid ? nil : "has a port that is not a number from 1 to 65535"
  }
}

extension TransportAuthentication {
  fileprivate var problem: TransportOption.Problem? {
    (user + password).utf8.contains(0) ? "has a NUL character" : schemes.problem
  }
}

extension AuthenticationSchemes {
  fileprivate var problem: TransportOption.Problem? {
    isEmpty || !isSubset(of: .any) ? "has no scheme, or an unknown one" : nil
  }
}

extension ClientCertificate {
  fileprivate var problem: TransportOption.Problem? {
    for source in [certificate, key].compactMap(\.self) {
      if case .file(let path) = source, path.isEmpty || path.utf8.contains(0) {
        return "has a path that is empty or contains a NUL character"
      }
    }
    return password?.utf8.contains(0) == true ? "has a password that contains a NUL character" : nil
  }
}

extension Proxy {
  /// Throws if no adapter can use the proxy.
  package func check(for request: Request) throws(TransportError) {
    if let problem = problem(in: request) { throw TransportError(problem.code, building: request, "the proxy \(problem.text)") }
  }

  fileprivate func problem(in request: Request) -> TransportOption.Problem? {
    if let field = headers.first(where: { !$0.isSendable }) {
      return .init(.invalidHeader, "has a header that cannot be sent: \(field.unsendableReason)")
    }
    guard headers.isEmpty || !scheme.isSOCKS else { return "has header fields, which a SOCKS proxy cannot take" }
    guard scheme == .https || tls == TLS() else {
      return "has tls options, which only the connection to an https proxy uses"
    }
    let login = (user ?? "") + (password ?? "")
    guard Self.isHost(host), !login.utf8.contains(0), TransportOption.isPort(port) else {
      return "has no valid host, port, user or password"
    }
    if let problem = authentication.problem ?? TransportOption.problem(with: tls, in: request) { return problem }
    let isOfProxy = tls.resumesSessions && tls.negotiatesProtocol && !tls.sendsEarlyData
    guard isOfProxy, !tls.reportsPeerCertificates, tls.verifier == nil else {
      return
        "has tls options for session resumption, early data, ALPN, the report of certificates or a verifier: set them in `options.tls`"
    }
    return nil
  }

  /// Whether the text is a host name or an address. Brackets and colons are allowed only in an IPv6 address.
  static func isHost(_ host: String) -> Bool {
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#@\\".utf8.contains($0) }) else { return false }
    return !host.utf8.contains { "[]:".utf8.contains($0) } || IPAddress(host)?.isIPv4 == false
  }
}

extension Request {
  /// A body of unknown length, for an example.
  fileprivate mutating func setStreamedBody() {
    method = .put
    body = .stream(
      AsyncStream<Data> { pieces in
        pieces.yield(Data("body".utf8))
        pieces.finish()
      })
  }
}

extension HTTPRequest.Method {
  /// The methods of RFC 9110 and PATCH, except CONNECT.
  fileprivate static let registered: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options, .trace]
}

extension URL {
  /// Whether the path has a segment of one or two dots.
  fileprivate var hasDotSegments: Bool {
    var text = absoluteString
    return text.withUTF8 { bytes in
      // Nearly all URLs end here.
      guard bytes.indices.dropFirst().contains(where: { bytes[$0] == UInt8(ascii: ".") && bytes[$0 - 1] == UInt8(ascii: "/") })
      else { return false }
      // The start of the segment, and whether it has only dots so far.
      var (start, isDots) = (0, true)
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
          if isDots, (1...2).contains(index - start) { return true }
          if byte != UInt8(ascii: "/") { return false }
          (start, isDots) = (index + 1, true)
        case UInt8(ascii: "."): break
        default: isDots = false
        }
      }
      return isDots && (1...2).contains(bytes.count - start)
    }
  }
}
