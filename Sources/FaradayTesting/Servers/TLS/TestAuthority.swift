public import FaradayCore

/// A certificate authority for tests, with certificates for servers on the loopback interface and for clients. They are made in
/// memory, with elliptic curves, and are valid for two days.
///
///     let authority = try TestAuthority()
///     let server = try MockServer(tls: authority) { _ in .text("secure") }
///     var connection = try Connection(server.url, adapter: CurlAdapter())
///     connection.defaults.tls = authority.clientTLS
///
/// It uses the system's OpenSSL (3, or 1.1), which is loaded with the first authority. Thread-safe.
public final class TestAuthority: Sendable {
  /// The certificate of the authority, in PEM: ``FaradayCore/TLS/caCertificates`` of clients.
  public let certificate: Data
  /// A certificate for clients, with its key.
  public let clientCertificate: ClientCertificate
  private let authority: Issued
  private let server: Issued

  /// Makes an authority and its certificates, which takes some milliseconds. Throws ``MockError``.
  public init() throws {
    let library = try OpenSSL.shared.get()
    authority = try Issued(library, name: "Faraday test authority", serial: 1, by: nil) {
      [
        (.basicConstraints, "critical,CA:TRUE"), (.keyUsage, "critical,keyCertSign,cRLSign"),
      ]
    }
    server = try Issued(library, name: "localhost", serial: 2, by: authority) {
      [
        (.subjectAltName, "DNS:localhost,IP:127.0.0.1,IP:::1"), (.extendedKeyUsage, "serverAuth"),
      ]
    }
    let client = try Issued(library, name: "client", serial: 3, by: authority) { [(.extendedKeyUsage, "clientAuth")] }
    certificate = try authority.certificatePEM()
    clientCertificate = .pem(.bytes(try client.certificatePEM()), key: .bytes(try client.keyPEM()))
  }

  /// Options for a client that trusts this authority only.
  public var clientTLS: TLS {
    var tls = TLS()
    tls.caCertificates = certificate
    return tls
  }

  func server(requiresClientCertificate: Bool) throws -> ServerTLS {
    try ServerTLS(choosing: "http/1.1") { [authority, server] library, context in
      if requiresClientCertificate {
        // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
        library.setVerification(context, 3, nil)
        guard library.addToStore(library.certificateStore(context), authority.certificate) == 1 else { return false }
      }
      return library.useLoadedCertificate(context, server.certificate) == 1 && library.useLoadedKey(context, server.key) == 1
    }
  }

  /// A certificate with its key.
  private final class Issued: @unchecked Sendable {
    // Safe to share: the pointers never change, and OpenSSL counts references to what they point to with atomic operations.
    let certificate: OpenSSL.Pointer
    let key: OpenSSL.Pointer
    private let library: OpenSSL

    /// OpenSSL's numbers of extensions (NID).
    enum Extension: Int32 {
      case keyUsage = 83
      case subjectAltName = 85
      case basicConstraints = 87
      case extendedKeyUsage = 126
    }

    init(
      _ library: OpenSSL, name: String, serial: Int, by issuer: Issued?, extensions: () -> [(Extension, String)]
    ) throws {
      let key = try Self.newKey(library)
      guard let certificate = library.newCertificate() else { throw MockError(unavailable: "OpenSSL has no memory") }
      (self.library, self.key, self.certificate) = (library, key, certificate)
      let issuerCertificate = issuer?.certificate ?? certificate
      let subject = library.subject(certificate)
      let isNamed = name.withCString { text in
        text.withMemoryRebound(to: UInt8.self, capacity: name.utf8.count) {
          // MBSTRING_UTF8
          library.addEntry(subject, "CN", 0x1000, $0, Int32(name.utf8.count), -1, 0) == 1
        }
      }
      guard isNamed, library.setVersion(certificate, 2) == 1,
        library.setInteger(library.serialNumber(certificate), serial) == 1,
        library.setTimeFromNow(library.notBefore(certificate), -3600) != nil,
        library.setTimeFromNow(library.notAfter(certificate), 2 * 86400) != nil,
        library.setIssuer(certificate, library.subject(issuerCertificate)) == 1, library.setKey(certificate, key) == 1
      else { throw MockError(unavailable: "a certificate cannot be made") }
      for (kind, value) in extensions() { try add(kind, value, issuerCertificate) }
      guard library.sign(certificate, issuer?.key ?? key, library.sha256()) > 0 else {
        throw MockError(unavailable: "a certificate cannot be signed")
      }
    }

    deinit {
      library.freeCertificate(certificate)
      library.freeKey(key)
    }

    private static func newKey(_ library: OpenSSL) throws -> OpenSSL.Pointer {
      // EVP_PKEY_EC
      guard let context = library.newKeyContext(408, nil) else { throw MockError(unavailable: "OpenSSL has no elliptic curves") }
      defer { library.freeKeyContext(context) }
      var key: OpenSSL.Pointer?
      // EVP_PKEY_OP_PARAMGEN and EVP_PKEY_OP_KEYGEN, EVP_PKEY_CTRL_EC_PARAMGEN_CURVE_NID, prime256v1.
      guard library.prepareKey(context) == 1, library.controlKey(context, 408, 6, 0x1001, 415, nil) == 1,
        library.makeKey(context, &key) == 1, let key
      else { throw MockError(unavailable: "a key cannot be made") }
      return key
    }

    private func add(_ kind: Extension, _ value: String, _ issuer: OpenSSL.Pointer) throws {
      // Larger than OpenSSL's X509V3_CTX, of which everything may be zero.
      try withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { context in
        context.initializeMemory(as: UInt8.self, repeating: 0)
        library.setExtensionContext(context.baseAddress, issuer, certificate, nil, nil, 0)
        guard let made = library.newExtension(nil, context.baseAddress, kind.rawValue, value) else {
          throw MockError(unavailable: "the extension \(kind) cannot be made")
        }
        defer { library.freeExtension(made) }
        guard library.addExtension(certificate, made, -1) == 1 else {
          throw MockError(unavailable: "a certificate cannot be made")
        }
      }
    }

    func certificatePEM() throws -> Data { try pem { library.writeCertificate($0, certificate) } }

    func keyPEM() throws -> Data { try pem { library.writeKey($0, key, nil, nil, 0, nil, nil) } }

    private func pem(_ write: (OpenSSL.Pointer) -> Int32) throws -> Data {
      guard let buffer = library.newBuffer(library.memoryMethod()) else { throw MockError(unavailable: "OpenSSL has no memory") }
      defer { _ = library.freeBuffer(buffer) }
      guard write(buffer) == 1 else { throw MockError(unavailable: "a certificate cannot be written") }
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      let count = bytes.withUnsafeMutableBytes { library.readBuffer(buffer, $0.baseAddress, Int32($0.count)) }
      return Data(bytes.prefix(max(0, Int(count))))
    }
  }
}
