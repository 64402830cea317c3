@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestServers
import Testing

/// Each TLS option of an https proxy. nginx is the proxy, and responds with the properties of the connection.
@Suite struct HTTPSProxyTLSTests {
  private let nginx: NginxVariants

  init() throws { nginx = try NginxVariants.shared.get() }

  private var certificates: TestCertificates { nginx.certificates }

  /// The proxy's response. All TLS options except the authority are the defaults.
  private func fields(
    _ variant: NginxVariants.Variant = .valid, over adapter: CurlAdapter = CurlAdapter(),
    _ set: (inout TLS) throws -> Void = { _ in }
  ) async throws -> [String: String] {
    let response = try await response(variant, over: adapter, set)
    #expect(response.status == .ok)
    return NginxVariants.fields(of: try await response.body.utf8Text())
  }

  private func response(
    _ variant: NginxVariants.Variant, over adapter: CurlAdapter = CurlAdapter(), _ set: (inout TLS) throws -> Void
  ) async throws -> Response {
    var proxy = Proxy(.https, host: "127.0.0.1", port: nginx.port(variant))
    proxy.tls.caFile = certificates.authority
    try set(&proxy.tls)
    var request = try Request("http://anywhere.invalid/x")
    request.options.proxy = .proxy(proxy)
    return try await adapter.send(request)
  }

  private func failure(_ variant: NginxVariants.Variant, _ set: (inout TLS) throws -> Void) async throws -> TransportError.Code {
    try await transportError { try await response(variant, set) }.code
  }

  @Test func `the authorities of an HTTPS proxy can be a folder or in memory`() async throws {
    #expect(try await fields { ($0.caFile, $0.caDirectory) = (nil, certificates.authorityFolder) }["host"] == "anywhere.invalid")
    #expect(try await failure(.valid) { ($0.caFile, $0.caDirectory) = (nil, certificates.folder) } == .tlsVerificationFailed)
    let bytes = try Data(contentsOf: URL(filePath: certificates.authority))
    _ = try await fields { ($0.caFile, $0.caCertificates) = (nil, bytes) }
    let other = try Data(contentsOf: URL(filePath: certificates.otherAuthority))
    #expect(try await failure(.valid) { ($0.caFile, $0.caCertificates) = (nil, other) } == .tlsVerificationFailed)
  }

  @Test func `only the host name of an HTTPS proxy can be left unverified`() async throws {
    _ = try await fields(.otherName) { $0.verifiesHostName = false }
    #expect(try await failure(.otherName) { _ in } == .tlsVerificationFailed)
    #expect(try await failure(.expired) { $0.verifiesHostName = false } == .tlsVerificationFailed)
  }

  @Test func `an HTTPS proxy with a revoked certificate or another key is refused`() async throws {
    _ = try await fields(.revoked)
    #expect(try await failure(.revoked) { $0.revocationLists = certificates.revocations } == .tlsVerificationFailed)
    _ = try await fields { $0.pinnedPublicKeys = [certificates.otherPin, certificates.serverPin] }
    #expect(try await failure(.valid) { $0.pinnedPublicKeys = [certificates.otherPin] } == .publicKeyNotPinned)
  }

  @Test func `the TLS versions and ciphers of an HTTPS proxy are applied`() async throws {
    #expect(try await fields { $0.maximumVersion = .v1_2 }["protocol"] == "TLSv1.2")
    #expect(try await failure(.tls12) { $0.minimumVersion = .v1_3 } == .tlsFailed)
    for cipher in ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"] {
      #expect(try await fields { ($0.maximumVersion, $0.tls12Ciphers) = (.v1_2, cipher) }["cipher"] == cipher)
    }
    for suite in ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"] {
      #expect(try await fields { $0.tls13Ciphers = suite }["cipher"] == suite)
    }
  }

  enum Form: CaseIterable { case files, encrypted, bytes, der, pkcs12, pkcs12Bytes }

  @Test(arguments: Form.allCases) func `the client certificate is sent to an HTTPS proxy`(form: Form) async throws {
    let password = TestCertificates.password
    func bytes(_ path: String) throws -> ClientCertificate.Source { .bytes(try Data(contentsOf: URL(filePath: path))) }
    let certificate: ClientCertificate =
      switch form {
      case .files: .pem(.file(certificates.clientCertificate), key: .file(certificates.clientKey))
      case .encrypted:
        .pem(.file(certificates.clientCertificate), key: .file(certificates.clientEncryptedKey), password: password)
      case .bytes: .pem(try bytes(certificates.clientCertificate), key: try bytes(certificates.clientKey))
      case .der:
        ClientCertificate(.file(certificates.clientCertificateDER), key: .file(certificates.clientKeyDER), format: .der)
      case .pkcs12: .pkcs12(.file(certificates.clientPKCS12), password: password)
      case .pkcs12Bytes: .pkcs12(try bytes(certificates.clientPKCS12), password: password)
      }
    let fields = try await fields(.clientCertificate) { $0.clientCertificate = certificate }
    #expect(fields["fingerprint"] == certificates.clientFingerprint && fields["verified"] == "SUCCESS")
  }

  @Test func `the connection to an HTTPS proxy is not reused`() async throws {
    let adapter = CurlAdapter()
    let numbers = [try await fields(over: adapter), try await fields(over: adapter)].map { $0["connection"] }
    #expect(numbers[0] != nil && numbers[0] != numbers[1])
  }
}
