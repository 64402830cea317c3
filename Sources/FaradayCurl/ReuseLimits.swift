internal import CCurl
internal import FaradayCore

/// How long a connection may be used.
struct ReuseLimits: Sendable {
  /// In whole seconds, as libcurl has them.
  private let idle: Int
  private let lifetime: Int?

  init(_ configuration: CurlAdapter.Configuration) {
    idle = Self.seconds(configuration.idleConnectionTimeout)
    lifetime = configuration.connectionLifetime.map(Self.seconds)
  }

  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    try easy.set(CURLOPT_MAXAGE_CONN, idle)
    // Since 7.80.
    if let lifetime { _ = faraday_set_long(easy.pointer, CURLOPT_MAXLIFETIME_CONN, lifetime) }
  }

  private static func seconds(_ duration: Duration) -> Int {
    Int(min(max((duration.nanoseconds + 999_999_999) / 1_000_000_000, 1), Int64(Int32.max)))
  }
}
