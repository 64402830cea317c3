import Faraday

/// The TLS options of a command line, for the server or for a proxy.
struct TLSArguments: Sendable, Equatable {
  var insecure = false
  var caFile: String?
  var caDirectory: String?
  var revocationLists: String?
  var certificate: String?
  var certificateType: String?
  var key: String?
  var keyType: String?
  var password: String?
  var pinned: String?
  var minimum: TLSVersion?
  var maximum: TLSVersion?
  var ciphers: String?
  var cipherSuites: String?
  var resumesSessions = true
  var negotiatesProtocol = true
}

/// The proxy options of a command line.
struct ProxyArguments: Sendable, Equatable {
  /// The URL, and the scheme that it has if it names none.
  var url: String?
  var scheme = Proxy.Scheme.http
  /// Whether CONNECT is of HTTP/1.0.
  var isHTTP10 = false
  var user: String?
  var schemes: AuthenticationSchemes = []
  var headers: [String] = []
  var exceptions: String?
  var tunnels = false
  var showsConnectHeads = true
  var tls = TLSArguments()
}

/// The network options of a command line.
struct NetworkArguments: Sendable, Equatable {
  var unixSocket: String?
  var resolve: [String] = []
  var connectTo: [String] = []
  var interface: String?
  var localPorts: ClosedRange<UInt16>?
  var ipVersion = IPVersion.any
  var dnsServers: String?
  var dnsOverHTTPS: String?
  var happyEyeballsDelay: Duration?
  var keepAlive = true
  var keepAliveTime: Duration?
  var noDelay = true
}
