/// TLS options: verification of the server, the client's certificate, versions and ciphers. By default the server is verified
/// against the system's certificate authorities and by its host name, and TLS 1.2 is the minimum version.
///
/// Requests share connections if these options are equal, except ``resumesSessions`` and ``reportsPeerCertificates``. A
/// replaced file applies from the next request on: that request reuses no connection and resumes no session made with another
/// version of the file.
public struct TLS: Sendable, Hashable {
  /// The path of a PEM file of certificate authorities that are trusted instead of the system's; nil by default.
  public var caFile: String?
  /// The path of a directory of certificate authorities, named by their hashes (`openssl rehash`), that are trusted instead of
  /// the system's, or in addition to ``caFile``; nil by default. Only the needed authorities are read. Kept connections and
  /// sessions survive if a file is overwritten in place: replace or remove the file instead.
  public var caDirectory: String?
  /// PEM text of certificate authorities that are trusted instead of the system's; nil by default. Needs libcurl 7.77. libcurl
  /// parses it for each new connection.
  public var caCertificates: Data?
  /// Whether the server's certificate chain is verified; true by default. If false, anyone on the network path can read and
  /// change everything (man in the middle).
  public var verifiesCertificate = true
  /// Whether the certificate must name the URL's host; true by default. If false, the owner of any trusted certificate can be a
  /// man in the middle.
  public var verifiesHostName = true
  /// The path of a PEM file of certificate revocation lists (CRL): a server whose certificate is on a list is rejected. The
  /// file must contain a list of each authority in the chain. Nil by default: revocation is not checked.
  public var revocationLists: String?
  /// The base64 SHA-256 hashes of public keys (SubjectPublicKeyInfo, DER), one of which must be the server's: public key
  /// pinning, as in `curl --pinnedpubkey`. Checked in addition to the certificate, even if the certificate is not verified.
  /// Empty by default: any key. A server with another key throws ``TransportError/Code/publicKeyNotPinned``.
  public var pinnedPublicKeys: [String] = []
  /// The certificate and key with which the client identifies itself (mutual TLS); nil by default. It is presented to every
  /// server that requests a certificate, so a cross-origin redirect removes it.
  public var clientCertificate: ClientCertificate?
  /// The minimum version: TLS 1.2 by default. The system's TLS library may still reject older versions.
  public var minimumVersion = TLSVersion.v1_2
  /// The maximum version; nil, the default, means the newest version that client and server support.
  public var maximumVersion: TLSVersion?
  /// The ciphers of TLS 1.2 and below, as the TLS library names them: for OpenSSL `ECDHE-RSA-AES128-GCM-SHA256:…`. Nil by
  /// default: the library's choice.
  public var tls12Ciphers: String?
  /// The cipher suites of TLS 1.3: `TLS_AES_128_GCM_SHA256:…`. Nil by default: the TLS library's choice.
  public var tls13Ciphers: String?
  /// Whether later connections resume the TLS session, which saves a round trip; true by default.
  public var resumesSessions = true
  /// Whether requests are sent with the TLS 1.3 handshake of a resumed session, before it is complete (early data, 0-RTT; RFC
  /// 8446, section 2.3), which saves a round trip; false by default. Needs libcurl 8.13 over OpenSSL.
  ///
  /// Anyone who records early data can send it to the server again (replay), so only safe methods without a body (GET, HEAD,
  /// OPTIONS, TRACE) are sent as early data, and only to servers that allow it. Other requests use separate connections, which
  /// wait for the handshake. A server that rejects early data gets the request after the handshake. If the server responds with
  /// 425 Too Early (RFC 8470, section 5.2), or its protocol has changed, the adapter sends the request again over a new
  /// connection without early data. ``TransferMetrics/earlyDataSize`` counts the accepted bytes. No effect without
  /// ``resumesSessions``, and with ``reportsPeerCertificates`` or a ``verifier``, because their connections resume no session.
  public var sendsEarlyData = false
  /// Whether the HTTP version is negotiated in the handshake (ALPN); true by default. Without it HTTP/1.1 is used.
  public var negotiatesProtocol = true
  /// Whether ``TransferMetrics/peerCertificates`` and ``TransportError/peerCertificates`` contain the server's certificates;
  /// false by default. If true, the request's connection resumes no session.
  public var reportsPeerCertificates = false
  /// Verifies the server's certificates in addition to all other checks; nil by default. With a verifier, the request's
  /// connection resumes no session, and is shared only with requests that have the same verifier.
  public var verifier: CertificateVerifier?

  /// Whether the certificate and the host name are verified: both ``verifiesCertificate`` and ``verifiesHostName``. Sets both.
  public var verifiesServer: Bool {
    get { verifiesCertificate && verifiesHostName }
    set { (verifiesCertificate, verifiesHostName) = (newValue, newValue) }
  }

  /// TLS options; the defaults verify the server.
  public init(caFile: String? = nil, verifiesServer: Bool = true) {
    self.caFile = caFile
    self.verifiesServer = verifiesServer
  }
}

/// A version of TLS. Versions below 1.2 are deprecated (RFC 8996).
public enum TLSVersion: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// TLS 1.0, deprecated.
  case v1_0
  /// TLS 1.1, deprecated.
  case v1_1
  /// TLS 1.2
  case v1_2
  /// TLS 1.3
  case v1_3

  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// A certificate with its private key that identifies the client in the TLS handshake (mutual TLS).
///
///     request.options.tls.clientCertificate = .pem(.file("client.pem"), key: .file("client.key"))
///     request.options.tls.clientCertificate = .pkcs12(.bytes(archive), password: "secret")
///
/// If the certificate cannot be read, or its password or key is wrong, connecting throws
/// ``TransportError/Code/invalidClientCertificate``.
public struct ClientCertificate: Sendable, Hashable {
  /// The location of a certificate or key.
  public enum Source: Sendable, Hashable {
    /// In the file at this path, which is read for each new connection. After the file is replaced, requests use no connection
    /// and no TLS session of the old file.
    case file(String)
    /// In memory.
    case bytes(Data)
  }

  /// The encoding of certificate and key.
  public enum Format: Sendable, Hashable {
    /// PEM: the certificate, optionally followed by the certificates of intermediate authorities.
    case pem
    /// DER: one certificate.
    case der
    /// PKCS#12: certificates and key in one archive.
    case pkcs12
  }

  /// The certificate, or the archive.
  public var certificate: Source
  /// The private key; nil if it is in ``certificate``.
  public var key: Source?
  /// The encoding of both.
  public var format: Format
  /// The password of the key or archive; nil if it has none.
  public var password: String?

  /// A certificate with its key.
  public init(_ certificate: Source, key: Source? = nil, format: Format = .pem, password: String? = nil) {
    self.certificate = certificate
    self.key = key
    self.format = format
    self.password = password
  }

  /// PEM: the key may be in the same file, and have a password.
  public static func pem(_ certificate: Source, key: Source? = nil, password: String? = nil) -> Self {
    Self(certificate, key: key, password: password)
  }

  /// A PKCS#12 archive (`.p12`, `.pfx`).
  public static func pkcs12(_ archive: Source, password: String? = nil) -> Self {
    Self(archive, format: .pkcs12, password: password)
  }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `client certificate client.pem`, without key and password.
  public var description: String {
    switch certificate {
    case .file(let path): "client certificate \(path.bounded())"
    case .bytes(let data): "client certificate of \(data.count) bytes"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A closure that verifies a server's certificates, in addition to all other checks.
///
///     let verifier = CertificateVerifier { chain, host in
///       known[host] == chain.first
///     }
///     connection.defaults.tls.verifier = verifier
///
/// The closure is called in each TLS handshake with the server, after the chain was verified against the authorities, and only
/// if that has succeeded. It can reject a chain, but it cannot override another check: the host name, pinned keys and
/// revocation lists are checked as well. To use only the closure, disable the other checks with ``TLS/verifiesServer``. The
/// closure then is the only protection against a man in the middle.
///
/// A rejected server throws ``TransportError/Code/tlsVerificationFailed``. The closure does not get the certificates of proxies
/// and DNS resolvers. A request with a verifier through an `https` proxy is rejected, because the two handshakes cannot be
/// distinguished.
///
/// Two verifiers are equal if they are the same object. Create one and keep it: requests with different verifiers share no
/// connection, because a verifier may reject a server that another verifier accepted.
public final class CertificateVerifier: Sendable, Hashable {
  /// The type of the closure. It gets the certificates that the server sent, in DER, the server's certificate first, and the
  /// URL's host.
  public typealias Decision = @Sendable (_ chain: [Data], _ host: String) -> Bool

  private let decision: Decision
  /// A text that is unique across all processes, so that a cache stores the responses of each verifier separately.
  package let identity = UUID().uuidString

  /// A verifier.
  ///
  /// - Parameter accepts: returns whether the server is trusted. Called on a thread of the transport, where all other transfers
  ///   wait for it. It must not block.
  public init(_ accepts: @escaping Decision) { decision = accepts }

  /// Whether the verifier accepts the certificates.
  package func accepts(_ chain: [Data], host: String) -> Bool { decision(chain, host) }

  public static func == (left: CertificateVerifier, right: CertificateVerifier) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
