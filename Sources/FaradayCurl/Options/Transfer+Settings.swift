internal import FaradayCore

extension Transfer {
  /// The settings that all transfers of an adapter share, clamped to valid ranges.
  final class Settings: Sendable {
    let receiveBufferSize: Int
    let streamBufferSize: Int
    let requestsPerConnection: Int
    let reuse: ReuseLimits
    let proxies: ProxySettings
    let addressPolicy: AddressPolicy?
    let names: ResolvedNames?
    let onEvent: ExchangeEventHandler?
    /// The origins with responses of unknown length, where HTTP/2 is of no use: see ``Transfer/mayBeHTTP2``.
    let withoutLengths = RecentOrigins()
    let customize: (@Sendable (borrowing UnsafeTransfer, Request) throws -> Void)?

    init(_ configuration: CurlAdapter.Configuration) {
      receiveBufferSize = min(max(configuration.receiveBufferSize, 1 << 10), 512 << 10)
      streamBufferSize = max(configuration.streamBufferSize, 64 << 10)
      requestsPerConnection = max(1, configuration.requestsPerConnection ?? .max)
      reuse = ReuseLimits(configuration)
      proxies = ProxySettings(configuration.proxy)
      addressPolicy = configuration.addressPolicy
      names = configuration.resolver.map(ResolvedNames.init)
      onEvent = configuration.onEvent
      customize = configuration.unsafeCustomize
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
