internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// The proxies of an adapter. The environment is read once, when the adapter is created: libcurl would read it on the engine's
/// thread while other threads may write it (`getenv` is not thread-safe).
final class ProxySettings: Sendable {
  private enum Choice {
    case none
    case proxy(Proxy)
    case invalid(InvalidValueError)

    init(_ url: String?, exceptions: [String] = []) {
      guard let url, !url.isEmpty else {
        self = .none
        return
      }
      do {
        var proxy = try Proxy(url)
        proxy.exceptions = exceptions
        self = .proxy(proxy)
      } catch let problem as InvalidValueError {
        self = .invalid(problem)
      } catch {
        self = .none
      }
    }

    func proxy() throws(InvalidValueError) -> Proxy? {
      switch self {
      case .none: nil
      case .proxy(let proxy): proxy
      case .invalid(let problem): throw problem
      }
    }
  }

  private let http: Choice
  private let https: Choice
  private let select: (@Sendable (URL) -> Proxy?)?

  init(_ source: CurlAdapter.ProxySource) {
    if case .selected(let select) = source { self.select = select } else { select = nil }
    switch source {
    case .direct, .selected: (http, https) = (.none, .none)
    case .url(let url):
      http = Choice(url)
      https = http
    case .proxy(let proxy): (http, https) = (.proxy(proxy), .proxy(proxy))
    case .environment:
      let all = Environment.variable("all_proxy", "ALL_PROXY")
      let exceptions = Environment.variable("no_proxy", "NO_PROXY").map { [$0] } ?? []
      http = Choice(Environment.variable("http_proxy") ?? all, exceptions: exceptions)
      https = Choice(Environment.variable("https_proxy", "HTTPS_PROXY") ?? all, exceptions: exceptions)
    }
  }

  /// Returns the proxy for a request; nil if there is none, or if the host is an exception.
  func proxy(of request: Request, to target: Target) throws(InvalidValueError) -> Proxy? {
    let transport = request.options.transport
    // libcurl uses no proxy then.
    guard transport.flatMap({ $0.fields.network.unixSocket }) == nil else { return nil }
    let selection = transport.map { $0.fields.proxy } ?? .automatic
    guard var proxy = try selectedProxy(selection, of: request, isSecure: target.isSecure), !proxy.excepts(target.endpoint.host)
    else {
      return nil
    }
    // A proxy that forwards the request would have to switch protocols too (RFC 6455, section 4.1).
    if transport.map({ $0.fields.upgrade != nil }) ?? false, !proxy.scheme.isSOCKS { proxy.tunnels = true }
    return proxy
  }

  private func selectedProxy(
    _ selection: ProxySelection, of request: Request, isSecure: Bool
  ) throws(InvalidValueError) -> Proxy? {
    switch selection {
    case .direct: nil
    case .proxy(let proxy): proxy
    case .automatic:
      if let select { select(request.url) } else { try (isSecure ? https : http).proxy() }
    }
  }
}

extension CurlAdapter.ProxySource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `http://host:port`, without user and password; `environment`, `direct` or `selected`.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .direct: "direct"
    case .url(let url): Secrets().redacting(urlText: url)
    case .proxy(let proxy): proxy.description
    case .selected: "selected"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ProxySettings: CustomStringConvertible, CustomReflectable {
  var description: String { "proxies" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Proxy {
  /// Whether the proxy resolves the server's name instead of libcurl.
  var resolvesServer: Bool { scheme != .socks4 && scheme != .socks5 }

  /// Whether the proxy forwards a request to the server without a tunnel.
  func forwards(toSecure isSecure: Bool) -> Bool { !isSecure && !tunnels && (scheme == .http || scheme == .https) }

  func apply(to attempt: Attempt, of transfer: Transfer, _ easy: EasyHandle) throws {
    try easy.set(CURLOPT_PROXY, url)
    if !transfer.isForwarded || attempt.challenges.mayUse(authentication) {
      if let user { try easy.set(CURLOPT_PROXYUSERNAME, user) }
      if let password { try easy.set(CURLOPT_PROXYPASSWORD, password) }
      if authentication != .basic { try transfer.set(CURLOPT_PROXYAUTH, authentication, easy) }
    }
    if tunnels { try easy.set(CURLOPT_HTTPPROXYTUNNEL, 1) }
    // The server's fields are sent to the server only. The default before libcurl 7.42.1 sends them to the proxy too.
    try easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    try attempt.setList(CURLOPT_PROXYHEADER, headers.flatMap { $0.line() })
    if scheme == .https { try tls.apply(to: easy, .proxy) }
  }
}

extension Transfer {
  /// Sets the authentication schemes that the server or the proxy may request. Schemes that this build of libcurl lacks are not
  /// used. Throws if the build lacks all of them.
  func set(_ option: CURLoption, _ schemes: AuthenticationSchemes, _ easy: EasyHandle) throws {
    guard schemes.isEmpty || !schemes.isDisjoint(with: Library.schemes) else {
      throw exchange.error(
        .unsupported, "libcurl \(Library.versionText) was built without \(schemes.names.joined(separator: ", "))",
        phase: .building)
    }
    try easy.set(option, schemes.libcurlBits)
  }
}

extension AuthenticationSchemes {
  private static let table: [(scheme: AuthenticationSchemes, name: String, bits: Int)] = [
    (.basic, "Basic", faraday_auth_basic), (.digest, "Digest", faraday_auth_digest), (.ntlm, "NTLM", faraday_auth_ntlm),
    (.negotiate, "Negotiate", faraday_auth_negotiate),
  ]

  fileprivate var names: [String] { Self.table.filter { contains($0.scheme) }.map(\.name) }

  /// The bits of `CURLOPT_HTTPAUTH` and `CURLOPT_PROXYAUTH`.
  fileprivate var libcurlBits: Int { Self.table.filter { contains($0.scheme) }.reduce(0) { $0 | $1.bits } }
}
