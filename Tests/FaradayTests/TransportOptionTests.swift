import Faraday
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What belongs to an option of a transport, besides its property: a capability if an adapter may lack it, a refusal by those that do,
/// and a rule that fails where it is ignored. Whoever adds an option and forgets one of them is told here.
@Suite struct TransportOptionTests {
  /// An option, set to what is not its default.
  struct Option: Sendable, CustomTestStringConvertible {
    let name: String
    /// What it takes of an adapter; nil if it is done above all adapters.
    let capability: Capabilities?
    let set: @Sendable (inout Options) -> Void

    init(_ name: String, _ capability: Capabilities?, set: @escaping @Sendable (inout Options) -> Void) {
      (self.name, self.capability, self.set) = (name, capability, set)
    }

    var testDescription: String { name }
  }

  static let options = [
    Option("delivery", .streamedDownload) { $0.delivery = .streamed },
    Option("maximumBodySize", nil) { $0.maximumBodySize = 1 },
    Option("httpVersion", .http2) { $0.httpVersion = .http2 },
    Option("acceptsHTTP0_9", .http0_9) { $0.acceptsHTTP0_9 = true },
    Option("requestTarget", .asteriskTarget) { $0.requestTarget = .asterisk },
    Option("decompression", .encodedBodies) { $0.decompression = .standard },
    Option("onChunk", nil) { $0.onChunk = { _ in .continue } },
    Option("onHead", nil) { $0.onHead = { _ in } },
    Option("onInformational", .informational) { $0.onInformational = { _ in } },
    Option("onUploadProgress", .uploadProgress) { $0.onUploadProgress = { _ in } },
    Option("onDownloadProgress", nil) { $0.onDownloadProgress = { _ in } },
    Option("timeouts.queue", .queueTimeout) { $0.timeouts.queue = .seconds(1) },
    Option("timeouts.connect", .connectTimeout) { $0.timeouts.connect = .seconds(1) },
    Option("timeouts.idle", .idleTimeout) { $0.timeouts.idle = .seconds(1) },
    Option("timeouts.total", .totalTimeout) { $0.timeouts.total = .seconds(1) },
    Option("timeouts.resolve", .phaseTimeouts) { $0.timeouts.resolve = .seconds(1) },
    Option("timeouts.tls", .phaseTimeouts) { $0.timeouts.tls = .seconds(1) },
    Option("timeouts.firstByte", .phaseTimeouts) { $0.timeouts.firstByte = .seconds(1) },
    Option("timeouts.totalFromStart", .phaseTimeouts) { $0.timeouts.totalFromStart = .seconds(1) },
    Option("onRawHead", .rawHeads) { $0.onRawHead = { _ in } },
    Option("onTrace", .trace) { $0.onTrace = { _ in } },
    Option("proxy", .proxies) { $0.proxy = .direct },
    Option("addressPolicy", .addressPolicy) { $0.addressPolicy = .publicOnly },
    Option("authentication", .authentication) { $0.authentication = Authentication(user: "u", password: "p", schemes: .digest) },
    Option("requestTrailers", .requestTrailers) { $0.requestTrailers = { [:] } },
    Option("expectContinue", .expectContinue) { $0.expectContinue = ExpectContinue() },
    Option("rates.maximumSend", .rateLimits) { $0.rates.maximumSend = 1 },
    Option("rates.maximumReceive", .rateLimits) { $0.rates.maximumReceive = 1 },
    Option("rates.minimum", .minimumRate) { $0.rates.minimum = 1 },
    Option("rates.minimumFor", nil) { $0.rates.minimumFor = .seconds(1) },
    Option("network.unixSocket", .unixSockets) { $0.network.unixSocket = "/socket" },
    Option("network.hostOverrides", .otherAddresses) { $0.network.hostOverrides = [HostOverride("*", addresses: ["::1"])] },
    Option("network.connectTo", .otherAddresses) { $0.network.connectTo = [ConnectTo(toPort: 1)] },
    Option("network.dnsServers", .dnsServers) { $0.network.dnsServers = ["127.0.0.1"] },
    Option("network.dnsOverHTTPS", .dnsOverHTTPS) { $0.network.dnsOverHTTPS = "https://127.0.0.1/" },
    Option("network.localAddress", .localAddress) { $0.network.localAddress = "127.0.0.1" },
    Option("network.localPorts", .localAddress) { $0.network.localPorts = 1...2 },
    Option("network.ipVersion", .ipVersion) { $0.network.ipVersion = .v6 },
    Option("network.happyEyeballsDelay", .ipVersion) { $0.network.happyEyeballsDelay = .seconds(1) },
    Option("network.tcpNoDelay", .tcpOptions) { $0.network.tcpNoDelay = false },
    Option("network.tcpKeepAlive", .tcpOptions) { $0.network.tcpKeepAlive = nil },
    Option("network.tcpUserTimeout", .tcpUserTimeout) { $0.network.tcpUserTimeout = .seconds(20) },
    Option("tls.caDirectory", .tlsAuthorities) { $0.tls.caDirectory = "/ca" },
    Option("tls.caCertificates", .tlsAuthorities) { $0.tls.caCertificates = Data() },
    Option("tls.verifiesCertificate", .unverifiedTLS) { $0.tls.verifiesCertificate = false },
    Option("tls.verifiesHostName", .unverifiedTLS) { $0.tls.verifiesHostName = false },
    Option("tls.revocationLists", .revocationLists) { $0.tls.revocationLists = "/crl.pem" },
    Option("tls.pinnedPublicKeys", .pinnedPublicKeys) { $0.tls.pinnedPublicKeys = ["x"] },
    Option("tls.clientCertificate", .clientCertificates) { $0.tls.clientCertificate = .pem(.file("/client.pem")) },
    Option("tls.minimumVersion", .tlsVersions) { $0.tls.minimumVersion = .v1_3 },
    Option("tls.maximumVersion", .tlsVersions) { $0.tls.maximumVersion = .v1_2 },
    Option("tls.ciphers", .tlsCiphers) { $0.tls.ciphers = "HIGH" },
    Option("tls.cipherSuites", .tlsCiphers) { $0.tls.cipherSuites = "TLS_AES_128_GCM_SHA256" },
    Option("tls.resumesSessions", .tlsHandshake) { $0.tls.resumesSessions = false },
    Option("tls.negotiatesProtocol", .tlsHandshake) { $0.tls.negotiatesProtocol = false },
    Option("tls.reportsPeerCertificates", .peerCertificates) { $0.tls.reportsPeerCertificates = true },
    Option("tls.verifier", .peerCertificates) { $0.tls.verifier = CertificateVerifier { _, _ in true } },
    Option("tls.caFile", .customCA) { $0.tls.caFile = "/ca.pem" },
    Option("tls.verifiesServer", .unverifiedTLS) { $0.tls.verifiesServer = false },
  ]

  @Test func `every property of the options is in the list above`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/FaradayCore/Options").standardized
    func properties(_ file: String, _ prefix: String = "") throws -> [String] {
      let text = try String(contentsOf: folder.appendingPathComponent(file + ".swift"), encoding: .utf8)
      return text.matches(of: /\n  public var (\w+)/).map { prefix + $0.output.1 }
    }
    let declared =
      try properties("Options") + properties("Timeouts", "timeouts.") + properties("TLS", "tls.")
      + properties("Network", "network.")
      + properties("TransferRates", "rates.")
    // Those that have properties of their own, and one that is computed from the others.
    #expect(Set(declared) == Set(Self.options.map(\.name) + ["timeouts", "tls", "network", "rates", "deliversWhole"]))
  }

  @Test(arguments: options.filter { $0.capability != nil }) func `an option has its capability, a refusal and a rule`(
    option: Option
  )
    throws
  {
    let capability = try #require(option.capability)
    var request = try Request("http://host/")
    if option.name == "requestTarget" { request.method = .options }
    option.set(&request.options)
    #expect(Capabilities(neededBy: request) == capability)
    let name = try #require(capability.names.first)
    #expect(capability.names.count == 1)
    let lacking = AdapterConformance.cases(for: Capabilities.all.subtracting(capability))
    #expect(lacking.contains { $0.description == "refusals: \(name) is refused by name" })
  }

  @Test(arguments: options.filter { $0.capability == nil }) func `what is done above the adapters takes nothing of them`(
    option: Option
  )
    throws
  {
    var request = try Request("http://host/")
    option.set(&request.options)
    #expect(Capabilities(neededBy: request).isEmpty)
  }

  @Test func `every capability has a rule that only those who claim it are held to`() {
    for entry in Capabilities.entries {
      #expect(AdapterConformance.all.contains { $0.needs.contains(entry.capability) }, "no rule for \(entry.name)")
    }
  }
}
