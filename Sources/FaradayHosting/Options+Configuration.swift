#if Hosting
public import Configuration
public import FaradayCore

extension Options {
  /// Options from the values of swift-configuration, for ``FaradayCore/Connection/defaults``.
  ///
  ///     let config = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "http")
  ///     connection.defaults = try await Options(config: config)   // HTTP_TIMEOUT_TOTAL=5
  ///
  /// A key without a value keeps the default:
  ///
  /// - `timeout.queue`, `timeout.resolve`, `timeout.connect`, `timeout.tls`, `timeout.firstByte`, `timeout.idle`,
  ///   `timeout.total`: ``FaradayCore/Timeouts`` in seconds; 0 is no limit.
  /// - `maximumBodySize`: ``FaradayCore/Options/maximumBodySize`` in bytes.
  /// - `proxy`: the URL of a proxy, or `direct`. It is a secret, because it may have a password.
  /// - `tls.caFile`: the path of ``FaradayCore/TLS/caFile``.
  ///
  /// Throws ``FaradayCore/InvalidValueError`` for a number that is out of range and an invalid URL of a proxy, and the errors
  /// of the reader, for example for text that is not a number.
  public init(config: ConfigReader) async throws {
    self.init()
    let limits: [(String, WritableKeyPath<Timeouts, Duration?>)] = [
      ("queue", \.queue), ("resolve", \.resolve), ("connect", \.connect), ("tls", \.tls), ("firstByte", \.firstByte),
      ("idle", \.idle), ("total", \.total),
    ]
    for (name, limit) in limits {
      let key = ConfigKey(["timeout", name])
      guard let seconds = try await config.fetchDouble(forKey: key) else { continue }
      guard (0...1e9).contains(seconds) else {
        throw InvalidValueError(.setting, "timeout.\(name)", "is not a number of seconds")
      }
      timeouts[keyPath: limit] = seconds == 0 ? nil : .seconds(seconds)
    }
    if let size = try await config.fetchInt(forKey: "maximumBodySize") {
      guard size >= 0 else { throw InvalidValueError(.setting, "maximumBodySize", "is negative") }
      maximumBodySize = size
    }
    if let proxy = try await config.fetchString(forKey: "proxy", isSecret: true) {
      self.proxy = proxy == "direct" ? .direct : .proxy(try Proxy(proxy))
    }
    if let file = try await config.fetchString(forKey: "tls.caFile") { tls.caFile = file }
  }
}
#endif
