internal import FaradayCore

extension AdapterConformance {
  /// For each capability that is missing: a request that needs it throws, and nothing is sent.
  static func refusals(without capabilities: Capabilities) -> [Case] {
    options.filter { !capabilities.contains($0.capability) }.map { option in
      Case("\(option.name) is refused by name", group: "refusals", needsWire: false) { subject in
        let error = try await expectFailure(.unsupported) {
          var request = try Request(subject.server.url + "/hello")
          try option.ask(&request)
          return try await subject.adapter.send(request)
        }
        try expect(error.message.contains(option.name), "the message does not name \(option.name): \(error.message)")
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.requestCount, 0)
      }
    }
  }

  /// The capabilities that a request can need, with a change that makes it need them.
  private static let options: [(name: String, capability: Capabilities, ask: @Sendable (inout Request) throws -> Void)] =
    Capabilities.entries.compactMap { entry in asking(for: entry.capability).map { (entry.name, entry.capability, $0) } }

  private static func asking(for capability: Capabilities) -> (@Sendable (inout Request) throws -> Void)? {
    switch capability {
    case .customMethods: { $0.method = try require(HTTPRequest.Method("PURGE")) }
    case .bodyOnGet: { $0.body = "body" }
    case .dotSegments: { $0 = try Request($0.url.absoluteString + "/../hello") }
    case .asteriskTarget:
      {
        $0.method = .options
        $0.options.requestTarget = .asterisk
      }
    case .streamedUpload:
      {
        $0.method = .put
        $0.body = .stream(Pieces("body"))
      }
    case .duplex:
      {
        $0.method = .put
        $0.body = .stream(Pieces("body"))
        $0.headers[.transferEncoding] = "chunked"
      }
    case .expectContinue: { $0.headers[.expect] = "100-continue" }
    case .uploadProgress: { $0.options.onUploadProgress = { _ in } }
    case .streamedDownload: { $0.options.delivery = .streamed }
    case .informational: { $0.options.onInformational = { _ in } }
    case .encodedBodies: { $0.options.decompression = .standard }
    case .queueTimeout: { $0.options.timeouts.queue = .seconds(1) }
    case .connectTimeout: { $0.options.timeouts.connect = .seconds(1) }
    case .idleTimeout: { $0.options.timeouts.idle = .seconds(1) }
    case .totalTimeout: { $0.options.timeouts.total = .seconds(1) }
    case .http2: { $0.options.httpVersion = .http2 }
    case .http1Only: { $0.options.httpVersion = .http1 }
    case .customCA: { $0.options.tls.caFile = "/ca.pem" }
    case .unverifiedTLS: { $0.options.tls.verifiesServer = false }
    case .tlsAuthorities: { $0.options.tls.caDirectory = "/ca" }
    case .clientCertificates: { $0.options.tls.clientCertificate = .pem(.file("/client.pem")) }
    case .revocationLists: { $0.options.tls.revocationLists = "/crl.pem" }
    case .pinnedPublicKeys: { $0.options.tls.pinnedPublicKeys = [Data(count: 32).base64EncodedString()] }
    case .tlsVersions: { $0.options.tls.minimumVersion = .v1_3 }
    case .tlsCiphers: { $0.options.tls.ciphers = "HIGH" }
    case .tlsHandshake: { $0.options.tls.resumesSessions = false }
    case .peerCertificates: { $0.options.tls.reportsPeerCertificates = true }
    case .proxies: { $0.options.proxy = .direct }
    case .unixSockets: { $0.options.network.unixSocket = "/socket" }
    case .otherAddresses: { $0.options.network.connectTo = [ConnectTo(toPort: 1)] }
    case .dnsServers: { $0.options.network.dnsServers = ["127.0.0.1"] }
    case .dnsOverHTTPS: { $0.options.network.dnsOverHTTPS = "https://127.0.0.1/" }
    case .localAddress: { $0.options.network.localAddress = "127.0.0.1" }
    case .ipVersion: { $0.options.network.ipVersion = .v4 }
    case .tcpOptions: { $0.options.network.tcpNoDelay = false }
    case .tcpUserTimeout: { $0.options.network.tcpUserTimeout = .seconds(20) }
    case .addressPolicy: { $0.options.addressPolicy = .publicOnly }
    case .authentication: { $0.options.authentication = Authentication(user: "u", password: "p", schemes: .digest) }
    case .rateLimits: { $0.options.rates.maximumSend = 1 }
    case .minimumRate: { $0.options.rates.minimum = 1 }
    case .phaseTimeouts: { $0.options.timeouts.firstByte = .seconds(1) }
    case .http0_9: { $0.options.acceptsHTTP0_9 = true }
    case .http1_0: { $0.options.httpVersion = .http1_0 }
    case .http2PriorKnowledge: { $0.options.httpVersion = .http2PriorKnowledge }
    case .http3: { $0.options.httpVersion = .http3 }
    case .verbatimTarget: { $0.options.requestTarget = .verbatim("/") }
    case .requestTrailers:
      {
        $0.method = .put
        $0.body = .stream(Pieces("body"))
        $0.options.requestTrailers = { [:] }
      }
    case .rawHeads: { $0.options.onRawHead = { _ in } }
    case .trace: { $0.options.onTrace = { _ in } }
    default: nil
    }
  }
}
