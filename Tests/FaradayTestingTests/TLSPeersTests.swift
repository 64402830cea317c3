import FaradayCore
import FaradayTesting
import TestServers
import Testing

/// Checks the TLS servers and certificates of other tests with the system's `curl`.
@Suite struct TLSPeersTests {
  private let nginx: NginxVariants
  private let files: TestCertificates

  init() throws {
    nginx = try NginxVariants.shared.get()
    files = nginx.certificates
  }

  private func curl(_ variant: NginxVariants.Variant, _ arguments: String...) async throws -> SystemCurl {
    try await SystemCurl(["--cacert", files.authority] + arguments + [nginx.url(variant)])
  }

  // MARK: The server's certificate

  @Test func `a valid certificate is trusted only with its authority`() async throws {
    let answer = try await curl(.valid)
    #expect(answer.exit == 0 && answer.status == 200 && answer.version == "2")
    #expect(answer.fields["alpn"] == "h2" && answer.fields["name"] == "localhost" && answer.fields["http"] == "HTTP/2.0")
    #expect(answer.fields["verified"] == "NONE" && answer.fields["subject"] == "")
    #expect(try await SystemCurl("--cacert", files.otherAuthority, nginx.url(.valid)).exit == 60)
    #expect(try await SystemCurl("--capath", files.authorityFolder, nginx.url(.valid)).exit == 0)
  }

  @Test(arguments: [NginxVariants.Variant.expired, .otherName, .incompleteChain, .selfSigned])
  func `an invalid certificate is rejected`(variant: NginxVariants.Variant) async throws {
    #expect(try await curl(variant).exit == 60)
    #expect(try await curl(variant, "-k").status == 200)
  }

  @Test func `a certificate for another name is valid for that name`() async throws {
    let port = nginx.port(.otherName)
    let arguments = ["--cacert", files.authority, "--connect-to", "::127.0.0.1:\(port)", "https://other.test/"]
    #expect(try await SystemCurl(arguments).fields["name"] == "other.test")
  }

  @Test func `a chain with an intermediate authority is trusted`() async throws {
    #expect(try await curl(.chain).exit == 0)
    #expect(try await curl(.chain, "--crlfile", files.revocations).exit == 0)
  }

  @Test func `a revoked certificate is rejected only with the revocation list`() async throws {
    #expect(try await curl(.revoked).exit == 0)
    #expect(try await curl(.revoked, "--crlfile", files.revocations).exit == 60)
    #expect(try await curl(.valid, "--crlfile", files.revocations).exit == 0)
  }

  @Test(arguments: [NginxVariants.Variant.valid, .chain, .revoked, .tls12, .clientCertificate])
  func `the pin matches the servers' key`(variant: NginxVariants.Variant) async throws {
    #expect(try await curl(variant, "--pinnedpubkey", "sha256//" + files.serverPin).exit == 0)
    #expect(try await curl(variant, "--pinnedpubkey", "sha256//" + files.otherPin).exit == 90)
  }

  // MARK: Versions

  @Test func `each server has one version of TLS`() async throws {
    let weak = ["--ciphers", "ALL:@SECLEVEL=0"]
    let old = ["--cacert", files.authority] + weak
    let answer = try await SystemCurl(old + ["--tlsv1.1", nginx.url(.tls11)])
    #expect(answer.fields["protocol"] == "TLSv1.1")
    #expect(try await SystemCurl(old + ["--tlsv1.2", nginx.url(.tls11)]).exit == 35)
    #expect(try await curl(.tls11).exit == 35)
    #expect(try await curl(.tls12).fields["protocol"] == "TLSv1.2")
    #expect(try await curl(.tls12, "--tlsv1.3").exit == 35)
    #expect(try await curl(.tls13).fields["protocol"] == "TLSv1.3")
    #expect(try await curl(.tls13, "--tls-max", "1.2").exit == 35)
    #expect(
      try await curl(.tls12, "--ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384").fields["cipher"] == "ECDHE-ECDSA-AES256-GCM-SHA384")
  }

  // MARK: The client's certificate

  @Test func `a client without a valid certificate gets 400`() async throws {
    #expect(try await curl(.clientCertificate).status == 400)
    let stranger = try await curl(.clientCertificate, "--cert", files.strangerCertificate, "--key", files.strangerKey)
    #expect(stranger.status == 400)
  }

  @Test(arguments: ["PEM", "encrypted", "both", "both encrypted", "PKCS#12", "DER"])
  func `a client with a certificate is identified`(form: String) async throws {
    let password = TestCertificates.password
    let arguments =
      switch form {
      case "PEM": ["--cert", files.clientCertificate, "--key", files.clientKey]
      case "encrypted": ["--cert", files.clientCertificate, "--key", files.clientEncryptedKey, "--pass", password]
      case "both": ["--cert", files.clientCertificateAndKey]
      case "both encrypted": ["--cert", files.clientCertificateAndEncryptedKey + ":" + password]
      case "PKCS#12": ["--cert-type", "P12", "--cert", files.clientPKCS12 + ":" + password]
      default:
        ["--cert-type", "DER", "--cert", files.clientCertificateDER, "--key-type", "DER", "--key", files.clientKeyDER]
      }
    let answer = try await SystemCurl(["--cacert", files.authority] + arguments + [nginx.url(.clientCertificate)])
    #expect(answer.exit == 0 && answer.status == 200)
    #expect(answer.fields["verified"] == "SUCCESS" && answer.fields["subject"] == "CN=client")
    #expect(answer.fields["fingerprint"] == files.clientFingerprint)
  }

  @Test func `an encrypted key needs its password`() async throws {
    let arguments = ["--cert", files.clientCertificate, "--key", files.clientEncryptedKey, "--pass", "wrong"]
    #expect(try await SystemCurl(["--cacert", files.authority] + arguments + [nginx.url(.clientCertificate)]).exit == 58)
    let both = ["--cert-type", "P12", "--cert", files.clientPKCS12, "--pass", "wrong"]
    #expect(try await SystemCurl(["--cacert", files.authority] + both + [nginx.url(.clientCertificate)]).exit == 58)
  }

  // MARK: Without TLS, and without TCP

  @Test func `cleartext HTTP/2 needs prior knowledge`() async throws {
    let answer = try await SystemCurl("--http2-prior-knowledge", nginx.url(.cleartextHTTP2))
    #expect(answer.version == "2" && answer.fields["http"] == "HTTP/2.0")
    #expect(try await SystemCurl("--http1.1", nginx.url(.cleartextHTTP2)).fields["http"] != "HTTP/2.0")
    #expect(try await SystemCurl(nginx.url(.plain)).fields["http"] == "HTTP/1.1")
  }

  @Test func `the Unix domain sockets accept any host name`() async throws {
    let plain = try await SystemCurl("--unix-socket", nginx.socket, "http://anything.invalid/x?y")
    #expect(plain.fields["remote"] == "unix:" && plain.fields["host"] == "anything.invalid")
    #expect(plain.fields["request"] == "GET /x?y")
    let secure = try await SystemCurl("--unix-socket", nginx.tlsSocket, "--cacert", files.authority, "https://localhost/")
    #expect(secure.fields["remote"] == "unix:" && secure.fields["protocol"] == "TLSv1.3")
  }

  @Test func `the client's address and port are reported`() async throws {
    let arguments = ["--interface", "127.0.0.3", "--local-port", "4500-4999", "http://127.0.0.2:\(nginx.port(.plain))/"]
    let fields = try await SystemCurl(arguments).fields
    #expect(fields["remote"] == "127.0.0.3")
    #expect((4500...4999).contains(try #require(fields["port"].flatMap { Int($0) })))
  }
}
