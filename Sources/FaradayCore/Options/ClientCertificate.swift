/// A certificate with its private key, by which a client identifies itself in the TLS handshake (mutual TLS).
///
///     request.options.tls.clientCertificate = .pem(.file("client.pem"), key: .file("client.key"))
///     request.options.tls.clientCertificate = .pkcs12(.bytes(archive), password: "secret")
///
/// One that cannot be read, or whose password or key is wrong, throws ``TransportError/Code/invalidClientCertificate`` when a
/// connection is made.
public struct ClientCertificate: Sendable, Hashable {
  /// Where a certificate or key is.
  public enum Source: Sendable, Hashable {
    /// In the file at this path, which is read for each new connection. Requests after a replacement use no connection and no TLS
    /// session of the file that was replaced.
    case file(String)
    /// In memory.
    case bytes(Data)
  }

  /// The encoding of certificate and key.
  public enum Format: Sendable, Hashable {
    /// PEM: the certificate, which may be followed by those of intermediate authorities.
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
  /// `client certificate client.pem`: nothing of the key and the password.
  public var description: String {
    switch certificate {
    case .file(let path): "client certificate \(path.bounded())"
    case .bytes(let data): "client certificate of \(data.count) bytes"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
