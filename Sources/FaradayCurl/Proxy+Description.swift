internal import FaradayCore

extension CurlAdapter.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `http://host:port`, without user and password; `environment` or `direct`.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .direct: "direct"
    case .url(let url): Secrets().redacting(urlText: url)
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ProxySettings: CustomStringConvertible, CustomReflectable {
  var description: String { "\(CurlAdapter.Proxy.url(proxy(isSecure: false))), \(CurlAdapter.Proxy.url(proxy(isSecure: true)))" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
