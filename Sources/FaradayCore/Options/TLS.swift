/// TLS options: how the server's certificate is verified. By default against the system's certificate authorities and the host
/// name. TLS 1.2 is the minimum version.
public struct TLS: Sendable, Hashable {
  /// The path of a PEM file of certificate authorities that are trusted instead of the system's; nil by default.
  public var caFile: String?
  /// Whether the certificate and the host name are verified; true by default. If false, anyone on the network path can read and
  /// change everything (man in the middle).
  public var verifiesServer: Bool

  /// TLS options; the defaults verify the server.
  public init(caFile: String? = nil, verifiesServer: Bool = true) {
    self.caFile = caFile
    self.verifiesServer = verifiesServer
  }
}
