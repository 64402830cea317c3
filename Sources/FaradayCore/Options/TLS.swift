/// TLS options: how the server is verified, how the client identifies itself, versions and ciphers. By default the server is verified
/// against the system's certificate authorities and by its host name, and TLS 1.2 is the minimum version.
///
/// Requests share connections if these options are equal, but for ``resumesSessions`` and ``reportsPeerCertificates``. A file that is
/// replaced counts from the next request on: that uses no kept connection and resumes no session that was made with another version
/// of the file.
public struct TLS: Sendable, Hashable {
  /// The path of a PEM file of certificate authorities that are trusted instead of the system's; nil by default.
  public var caFile: String?
  /// The path of a directory of certificate authorities, named by their hashes (`openssl rehash`), that are trusted instead of the
  /// system's, or besides ``caFile``; nil by default. Only authorities that are needed are read. Kept connections and sessions survive
  /// a file that is overwritten in place: replace or remove it.
  public var caDirectory: String?
  /// PEM text of certificate authorities that are trusted instead of the system's; nil by default. Needs libcurl 7.77. libcurl
  /// parses it for each new connection.
  public var caCertificates: Data?
  /// Whether the server's certificate chain is verified; true by default. If false, anyone on the network path can read and change
  /// everything (man in the middle).
  public var verifiesCertificate = true
  /// Whether the certificate must name the URL's host; true by default. If false, the owner of any trusted certificate can be a man
  /// in the middle.
  public var verifiesHostName = true
  /// The path of a PEM file of certificate revocation lists (CRL): a server whose certificate is on one is refused. There must be a
  /// list of each authority of the chain. Nil by default: revocation is not checked.
  public var revocationLists: String?
  /// The base64 SHA-256 hashes of public keys (SubjectPublicKeyInfo, DER), one of which must be the server's: public key pinning, as
  /// in `curl --pinnedpubkey`. Checked in addition to the certificate, also if that is not verified. Empty by default: any key.
  /// A server with another one throws ``TransportError/Code/publicKeyNotPinned``.
  public var pinnedPublicKeys: [String] = []
  /// The certificate and key with which the client identifies itself (mutual TLS); nil by default. It is presented to every server
  /// that asks for one, so a cross-origin redirect removes it.
  public var clientCertificate: ClientCertificate?
  /// The minimum version: TLS 1.2 by default. The system's TLS library may refuse older ones all the same.
  public var minimumVersion = TLSVersion.v1_2
  /// The maximum version; nil, the default, is the newest that both sides support.
  public var maximumVersion: TLSVersion?
  /// The ciphers of TLS 1.2 and below, as the TLS library names them: for OpenSSL `ECDHE-RSA-AES128-GCM-SHA256:…`. Nil by default:
  /// its own choice.
  public var ciphers: String?
  /// The cipher suites of TLS 1.3: `TLS_AES_128_GCM_SHA256:…`. Nil by default: the TLS library's own choice.
  public var cipherSuites: String?
  /// Whether later connections resume the TLS session, which saves a round trip; true by default.
  public var resumesSessions = true
  /// Whether the HTTP version is negotiated in the handshake (ALPN); true by default. Without it HTTP/1.1 is used.
  public var negotiatesProtocol = true
  /// Whether ``TransferMetrics/peerCertificates`` and ``TransportError/peerCertificates`` have the server's certificates; false by
  /// default. The connections of such requests resume no session.
  public var reportsPeerCertificates = false
  /// Decides about the server's certificates in addition to all other checks; nil by default. The connections of such requests resume
  /// no session, and are shared only by requests with the same verifier.
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

/// A version of TLS. Those below 1.2 are deprecated (RFC 8996).
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
