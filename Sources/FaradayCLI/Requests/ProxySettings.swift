import Faraday
import FaradayCurl

extension Operation {
  /// The proxy for a URL: that of `-x`, or of the environment.
  func proxySelection(for target: Target) throws -> ProxySelection {
    // Other adapters read the environment themselves, and may not take a proxy.
    guard proxy.isGiven || transport == .curl else { return .automatic }
    return try proxy.selection(for: target)
  }
}

extension Proxy {
  /// Whether it looks names up itself.
  var resolvesNames: Bool { scheme != .socks4 && scheme != .socks5 }
}

extension ProxyArguments {
  /// Whether an option changes anything about the proxy of the environment.
  fileprivate var isGiven: Bool {
    url != nil || user != nil || exceptions != nil || tunnels || !headers.isEmpty || !schemes.isEmpty || tls != TLSArguments()
  }

  /// Whether the host is one of `--noproxy` or `no_proxy`.
  func isExcepted(_ host: String) -> Bool {
    let exceptions = exceptions ?? Environment.variable("no_proxy", "NO_PROXY")
    return exceptions.map { NoProxy($0).contains(host) } ?? false
  }

  fileprivate func selection(for target: Target) throws -> ProxySelection {
    guard let text = url ?? Self.ofEnvironment(target.scheme), !text.isEmpty, !isExcepted(target.host) else { return .direct }
    let complete = text.contains("://") ? text : "\(scheme.rawValue)://\(text)"
    var proxy: Proxy
    do {
      // Its path means nothing.
      let parts = URLParts(complete)
      proxy = try Proxy(String(parts.start + parts.user + parts.host))
    } catch {
      let isScheme = "\(error)".contains("unknown scheme")
      let shown = Secrets().redacting(urlText: complete)
      throw CommandFailure(
        isScheme ? 7 : 5, isScheme ? "Unsupported proxy scheme for '\(shown)'" : "Unsupported proxy syntax in '\(shown)'")
    }
    // Those of its URL go before them.
    if let user, proxy.user == nil {
      let login = Login(user)
      (proxy.user, proxy.password) = (login.user, login.password)
    }
    if !schemes.isEmpty { proxy.authentication = strongestScheme }
    proxy.tunnels = tunnels
    if proxy.scheme == .http || proxy.scheme == .https {
      proxy.headers = try HTTPFields().overridden(by: HeaderArgument.all(headers))
      if proxy.scheme == .https { proxy.tls = try tls.tls("proxy-") }
    }
    return .proxy(proxy)
  }

  /// curl takes one of the schemes that are named; `--proxy-anyauth` lets the proxy choose.
  private var strongestScheme: AuthenticationSchemes {
    guard schemes != .any else { return .any }
    return [.negotiate, .ntlm, .digest].first { schemes.contains($0) } ?? .basic
  }

  private static func ofEnvironment(_ scheme: String) -> String? {
    // A client of a CGI program could set HTTP_PROXY: httpoxy.
    let upper = scheme == "http" ? "http_proxy" : "\(scheme.uppercased())_PROXY"
    return Environment.variable("\(scheme)_proxy", upper, "all_proxy", "ALL_PROXY")
  }
}
