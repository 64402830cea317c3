internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The proxies of an adapter, read once: libcurl would read the environment on its own thread, while others may write it.
struct ProxySettings: Sendable {
  private var http = ""
  private var https = ""
  private(set) var exceptions = ""

  init(_ proxy: CurlAdapter.Proxy) {
    switch proxy {
    case .direct: break
    case .url(let url): (http, https) = (url, url)
    case .environment:
      let all = Self.variable("all_proxy", "ALL_PROXY")
      http = Self.variable("http_proxy") ?? all ?? ""
      https = Self.variable("https_proxy", "HTTPS_PROXY") ?? all ?? ""
      exceptions = Self.variable("no_proxy", "NO_PROXY") ?? ""
    }
  }

  /// The proxy for a scheme; empty for none.
  func proxy(isSecure: Bool) -> String { isSecure ? https : http }

  /// What libcurl says, which may quote a proxy that it cannot use, password and all.
  func redacted(_ text: String) -> String {
    [http, https].filter { !$0.isEmpty }.reduce(text) { $0.replacing($1, with: Secrets().redacting(urlText: $1)) }
  }

  private static func variable(_ names: String...) -> String? {
    for name in names {
      if let value = getenv(name) { return String(cString: value) }
    }
    return nil
  }
}
