import ArgumentParser
import Faraday
import FaradayCurl
import FaradayURLSession

/// The adapter that `--transport` names.
enum Transport: String, CaseIterable, Codable, ExpressibleByArgument, Sendable {
  case curl, urlsession

  /// The name of the adapter's type.
  var adapterName: String {
    switch self {
    case .curl: "CurlAdapter"
    case .urlsession: "URLSessionAdapter"
    }
  }

  var capabilities: Capabilities { adapter().capabilities }

  /// Creates an adapter for up to `limit` parallel transfers.
  func adapter(limit: Int = 1) -> any Adapter {
    switch self {
    case .curl:
      var configuration = CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: max(64, limit))
      configuration.unsafeCustomize = CurlSettings.customize
      return CurlAdapter(configuration)
    case .urlsession: return URLSessionAdapter()
    }
  }
}

/// The command's libcurl settings before a transfer starts, for header fields that libcurl writes.
enum CurlSettings: OptionKey {
  typealias Setting = @Sendable (borrowing UnsafeTransfer) throws -> Void

  static let defaultValue: [Setting] = []

  static let customize: @Sendable (borrowing UnsafeTransfer, Request) throws -> Void = { transfer, request in
    for set in request.options[CurlSettings.self] { try set(transfer) }
  }
}

/// The TLS options of a command line, for the server or for a proxy.
struct TLSArguments: Sendable, Equatable {
  /// The options that the library also has.
  var tls = TLS()
  var minimum: TLSVersion?
  var certificate: String?
  var certificateType: String?
  var key: String?
  var password: String?

  /// Parses `certificate:password`. `\:` and `\\` are escapes.
  mutating func setCertificate(_ text: String) {
    guard let match = text.wholeMatch(of: #/((?:\\[:\\]|[^:])*)(?::(.*))?/#.dotMatchesNewlines()) else { return }
    certificate = String(match.1.replacing(#/\\([:\\])/#) { $0.1 })
    if let given = match.2, !given.isEmpty { password = String(given) }
  }

  /// Parses `sha256//hash;sha256//hash`.
  mutating func pin(_ text: String) throws {
    let keys = text.split(separator: ";")
    guard keys.allSatisfy({ $0.hasPrefix("sha256//") }) else {
      throw OptionProblem(description: "takes hashes only: sha256//..., separated by ;")
    }
    tls.pinnedPublicKeys = keys.map { String($0.dropFirst("sha256//".count)) }
  }

  /// Returns the options of the library. `prefix` is the prefix of the arguments' names: `proxy-` or empty.
  func options(_ prefix: String) throws -> TLS {
    var options = tls
    options.minimumVersion = minimum ?? .v1_2
    if let maximum = tls.maximumVersion, maximum < options.minimumVersion {
      guard minimum == nil else { throw CommandFailure(35, "--tls-max is older than what --tlsv1.x demands") }
      options.minimumVersion = maximum
    }
    guard let certificate else { return options }
    let formats: [String: ClientCertificate.Format] = ["PEM": .pem, "DER": .der, "P12": .pkcs12]
    guard let format = formats[certificateType?.uppercased() ?? "PEM"] else {
      throw CommandFailure(
        58, "--\(prefix)cert-type: \(certificateType ?? "") is not supported; use PEM, DER or P12")
    }
    options.clientCertificate = ClientCertificate(
      .file(certificate), key: key.map { .file($0) }, format: format, password: password)
    return options
  }

  /// Returns these options. As in curl, the environment supplies the authorities if the arguments give none.
  func withEnvironment() -> TLSArguments {
    guard tls.caFile == nil, tls.caDirectory == nil, tls.verifiesServer else { return self }
    var completed = self
    completed.tls.caFile = Environment.variable("CURL_CA_BUNDLE")
    guard completed.tls.caFile == nil else { return completed }
    completed.tls.caDirectory = Environment.variable("SSL_CERT_DIR")
    completed.tls.caFile = Environment.variable("SSL_CERT_FILE")
    return completed
  }
}

/// The proxy options of a command line.
struct ProxyArguments: Sendable, Equatable {
  /// The URL, and the default scheme for a URL without one.
  var url: String?
  var scheme = Proxy.Scheme.http
  var user: String?
  var schemes: AuthenticationSchemes = []
  var headers: [HeaderArgument] = []
  var exceptions: String?
  var tunnels = false
  var showsConnectHeads = true
  var tls = TLSArguments()

  mutating func set(_ text: String, _ scheme: Proxy.Scheme) { (url, self.scheme) = (text, scheme) }

  /// Returns the proxy for a scheme and host, from `-x` or the environment.
  func selection(scheme: String, host: String, over transport: Transport) throws -> ProxySelection {
    // Other adapters read the environment themselves, and may lack proxies.
    guard self != ProxyArguments() || transport == .curl else { return .automatic }
    let exceptions = exceptions ?? Environment.variable("no_proxy", "NO_PROXY")
    guard let text = url ?? Self.ofEnvironment(scheme), !text.isEmpty, exceptions.map({ NoProxy($0).contains(host) }) != true
    else { return .direct }
    var proxy = try self.proxy(text.contains("://") ? text : "\(self.scheme.rawValue)://\(text)")
    if let user, proxy.user == nil {
      let login = Login(user)
      (proxy.user, proxy.password) = (login.user, login.password)
    }
    // curl uses one of the named schemes. `--proxy-anyauth` lets the proxy choose.
    if schemes == .any {
      proxy.authentication = .any
    } else if !schemes.isEmpty {
      proxy.authentication = [.negotiate, .ntlm, .digest].first { schemes.contains($0) } ?? .basic
    }
    proxy.tunnels = tunnels
    if proxy.scheme == .http || proxy.scheme == .https {
      proxy.headers = try HTTPFields().overridden(by: headers)
      if proxy.scheme == .https { proxy.tls = try tls.options("proxy-") }
    }
    return .proxy(proxy)
  }

  private func proxy(_ url: String) throws -> Proxy {
    do {
      // The path of a proxy has no meaning.
      let parts = URLParts(url)
      return try Proxy(String(parts.start + parts.user + parts.host))
    } catch {
      let isScheme = "\(error)".contains("unknown scheme")
      let shown = Secrets().redacting(urlText: url)
      throw CommandFailure(isScheme ? 7 : 5, "Unsupported proxy \(isScheme ? "scheme for" : "syntax in") '\(shown)'")
    }
  }

  private static func ofEnvironment(_ scheme: String) -> String? {
    // A client of a CGI program could set HTTP_PROXY: httpoxy.
    let upper = scheme == "http" ? "http_proxy" : "\(scheme.uppercased())_PROXY"
    return Environment.variable("\(scheme)_proxy", upper, "all_proxy", "ALL_PROXY")
  }
}
