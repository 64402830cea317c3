/// How the server is verified. By default: the system's certificate authorities, the name on the certificate, TLS 1.2 up.
public struct TLS: Sendable, Hashable {
  /// A PEM file of certificate authorities to trust instead of the system's.
  public var caFile: String?
  /// Whether the certificate and its name are checked. Without it anybody on the way can read and change everything.
  public var verifiesServer: Bool

  public init(caFile: String? = nil, verifiesServer: Bool = true) {
    self.caFile = caFile
    self.verifiesServer = verifiesServer
  }
}
