internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Transfer {
  /// The settings that all transfers of an adapter share, clamped to valid ranges.
  struct Settings: Sendable {
    let receiveBufferSize: Int
    let streamBufferSize: Int
    let requestsPerConnection: Int
    let reuse: ReuseLimits
    let proxies: ProxySettings

    init(_ configuration: CurlAdapter.Configuration) {
      receiveBufferSize = min(max(configuration.receiveBufferSize, 1 << 10), 512 << 10)
      streamBufferSize = max(configuration.streamBufferSize, 64 << 10)
      requestsPerConnection = max(1, configuration.requestsPerConnection ?? .max)
      reuse = ReuseLimits(configuration)
      proxies = ProxySettings(configuration.proxy)
    }
  }
}

/// The idle timeout and maximum lifetime of connections.
struct ReuseLimits: Sendable {
  /// In whole seconds, as libcurl requires.
  let idle: Int
  let lifetime: Int?

  init(_ configuration: CurlAdapter.Configuration) {
    idle = Self.seconds(configuration.idleConnectionTimeout)
    lifetime = configuration.connectionLifetime.map(Self.seconds)
  }

  private static func seconds(_ duration: Duration) -> Int {
    Int(min(max((duration.nanoseconds + 999_999_999) / 1_000_000_000, 1), Int64(Int32.max)))
  }
}

/// The proxies of an adapter. The environment is read once, when the adapter is created: libcurl would read it on its own thread
/// while other threads may write it (`getenv` is not thread-safe).
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

  /// A message of libcurl with the proxy URLs redacted: it may quote them with their passwords.
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
