private import FaradayCore

/// Keys and certificates for tests of TLS: of servers, of a client, and of the authorities that vouch for them, made by the system's
/// `openssl` in a folder that goes with this process.
///
/// All are of elliptic curves and valid for two days, but the expired. Thread-safe.
package final class TestCertificates: Sendable {
  /// The certificates of this process, made once in about 0.3 s.
  package static let shared = Result { try TestCertificates() }

  /// The password of ``clientEncryptedKey`` and ``clientPKCS12``.
  package static let password = "hunter2"

  /// The folder of all files.
  package let folder: String
  /// The SHA-256 of the public key (SubjectPublicKeyInfo) that all servers with one of these certificates have, in base64.
  package let serverPin: String
  /// The same of another key, which no server has.
  package let otherPin: String
  /// The SHA-1 of ``clientCertificate`` in lower-case hexadecimal, as nginx reports it.
  package let clientFingerprint: String
  private let shell: HeldShell

  /// Makes them. Throws ``ServerNotStarted``.
  package init() throws {
    let folder = try HeldShell.makeFolder(for: "certificates")
    shell = try HeldShell("openssl", script: Self.script, folder: folder, until: "ready\n")
    func text(_ name: String) throws -> String {
      String(try String(contentsOfFile: folder + "/" + name, encoding: .utf8).filter { !$0.isWhitespace })
    }
    self.folder = folder
    serverPin = try text("server.pin")
    otherPin = try text("other.pin")
    clientFingerprint = try text("client.fingerprint").lowercased().replacing(":", with: "").replacing(/.*=/, with: "")
  }

  // MARK: Authorities

  /// The authority of the servers, in PEM. It is CN=authority.
  package var authority: String { folder + "/ca.pem" }
  /// A folder with only that authority, under the hash of its name, as OpenSSL wants it (`openssl rehash`).
  package var authorityFolder: String { folder + "/authorities" }
  /// An authority that has vouched for no server, in PEM.
  package var otherAuthority: String { folder + "/client-ca.pem" }
  /// The lists of revoked certificates (CRL) of the authority and of its intermediate authority, in PEM.
  package var revocations: String { folder + "/crl.pem" }

  // MARK: Client certificates

  /// The client's certificate, in PEM. It is CN=client.
  package var clientCertificate: String { folder + "/client.pem" }
  /// Its private key, in PEM.
  package var clientKey: String { folder + "/client.key" }
  /// The same key, encrypted with ``password``, in PEM.
  package var clientEncryptedKey: String { folder + "/client-encrypted.key" }
  /// Certificate and key in one file, in PEM.
  package var clientCertificateAndKey: String { folder + "/client-both.pem" }
  /// Certificate and encrypted key in one file, in PEM.
  package var clientCertificateAndEncryptedKey: String { folder + "/client-both-encrypted.pem" }
  /// Certificate and key, encrypted with ``password``, in PKCS#12.
  package var clientPKCS12: String { folder + "/client.p12" }
  /// The certificate in DER.
  package var clientCertificateDER: String { folder + "/client.der" }
  /// The key in DER.
  package var clientKeyDER: String { folder + "/client-key.der" }
  /// A certificate that no server knows the authority of, in PEM. It is CN=stranger.
  package var strangerCertificate: String { folder + "/stranger.pem" }
  /// Its private key, in PEM.
  package var strangerKey: String { folder + "/stranger.key" }

  // MARK: Server certificates

  /// The private key of all servers, in PEM.
  package var serverKey: String { folder + "/server.key" }
  /// The authority of the clients, in PEM.
  package var clientAuthority: String { folder + "/client-ca.pem" }

  /// A server's certificate. By default it is for `localhost` and 127.0.0.1 and from the authority.
  package enum Server: String, CaseIterable, Sendable {
    case valid
    /// It was valid in the year 2020.
    case expired
    /// It is for `other.test` only.
    case otherName
    /// It is on the authority's list.
    case revoked
    /// It is from an intermediate authority, whose certificate comes with it.
    case chain
    /// It is the same, and comes alone.
    case incompleteChain
    /// No authority vouches for it.
    case selfSigned
  }

  /// A server's certificate, with the others that it sends, in PEM.
  package func server(_ certificate: Server) -> String { folder + "/\(certificate).pem" }

  private static let script = #"""
    {
      cat >conf <<'END'
    [root]
    certificate = ca.pem
    private_key = ca.key
    database = root.index
    serial = root.serial
    new_certs_dir = .
    default_md = sha256
    default_days = 2
    default_crl_days = 2
    policy = names
    unique_subject = no
    [between]
    certificate = between.pem
    private_key = between.key
    database = between.index
    serial = between.serial
    new_certs_dir = .
    default_md = sha256
    default_days = 2
    default_crl_days = 2
    policy = names
    unique_subject = no
    [clients]
    certificate = client-ca.pem
    private_key = client-ca.key
    database = clients.index
    serial = clients.serial
    new_certs_dir = .
    default_md = sha256
    default_days = 2
    policy = names
    [strangers]
    certificate = stranger-ca.pem
    private_key = stranger-ca.key
    database = strangers.index
    serial = strangers.serial
    new_certs_dir = .
    default_md = sha256
    default_days = 2
    policy = names
    [names]
    commonName = supplied
    [authority]
    basicConstraints = critical, CA:true
    keyUsage = critical, keyCertSign, cRLSign
    [server]
    subjectAltName = DNS:localhost, IP:127.0.0.1
    [other]
    subjectAltName = DNS:other.test
    [client]
    extendedKeyUsage = clientAuth
    END
      curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
      # NAME SUBJECT: an authority of its own.
      authority() { openssl req -x509 $curve -days 2 -subj "/CN=$2" -keyout $1.key -out $1.pem; }
      # NAME SUBJECT: a key, and a request for a certificate.
      request() { openssl req -new $curve -subj "/CN=$2" -keyout $1.key -out $1.csr; }
      # AUTHORITY NAME REQUEST EXTENSIONS [OPTIONS]: a certificate.
      issue() {
        from=$1 name=$2 csr=$3 extensions=$4
        shift 4
        openssl ca -batch -notext -config conf -name $from -extensions $extensions -in $csr -out $name.pem "$@"
      }
      pin() { openssl pkey -in $1 -pubout -outform der | openssl dgst -sha256 -binary | openssl base64; }

      for name in root between clients strangers; do : >$name.index; echo 1000 >$name.serial; done
      authority ca authority && authority client-ca 'authority of clients' && authority stranger-ca strangers &&
      request server localhost &&
      openssl req -new -key server.key -subj /CN=other.test -out other.csr &&
      issue root valid server.csr server &&
      issue root expired server.csr server -startdate 20200101000000Z -enddate 20210101000000Z &&
      issue root otherName other.csr other &&
      issue root revoked server.csr server &&
      openssl req -x509 -key server.key -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -out selfSigned.pem &&
      request between 'intermediate authority' && issue root between between.csr authority &&
      issue between incompleteChain server.csr server &&
      cat incompleteChain.pem between.pem >chain.pem &&
      openssl ca -config conf -name root -revoke revoked.pem &&
      openssl ca -config conf -name root -gencrl -out root.crl &&
      openssl ca -config conf -name between -gencrl -out between.crl &&
      cat root.crl between.crl >crl.pem &&
      mkdir authorities && cp ca.pem "authorities/$(openssl x509 -hash -noout -in ca.pem).0" &&

      request client client && issue clients client client.csr client &&
      request stranger stranger && issue strangers stranger stranger.csr client &&
      openssl pkey -in client.key -aes256 -passout pass:hunter2 -out client-encrypted.key &&
      cat client.pem client.key >client-both.pem &&
      cat client.pem client-encrypted.key >client-both-encrypted.pem &&
      openssl pkcs12 -export -in client.pem -inkey client.key -passout pass:hunter2 -out client.p12 &&
      openssl x509 -in client.pem -outform der -out client.der &&
      openssl pkey -in client.key -outform der -out client-key.der &&
      openssl x509 -in client.pem -noout -sha1 -fingerprint >client.fingerprint &&
      pin server.key >server.pin && pin client.key >other.pin
    } >log 2>&1 || { cat log; exit 1; }
    echo ready
    read -r _
    cd / && rm -rf "$1"
    """#
}
