#if Observability
@_spi(Adapters) public import FaradayCore
public import Metrics
internal import Synchronization

/// Gauges of an adapter's connections and requests, from its statistics.
///
///     let gauges = AdapterGauges { curl.statistics }
///     try await gauges.run(every: .seconds(15))
///
/// - `http.client.open_connections`, by `url.scheme`, `server.address`, `server.port` and `http.connection.state` (`active` or
///   `idle`);
/// - `http.client.active_requests`: the requests in progress;
/// - `http.client.queued_requests`: the requests in the adapter's queue. OpenTelemetry defines no name for this gauge.
public final class AdapterGauges: Sendable {
  private let metrics: (any MetricsFactory)?
  private let statistics: @Sendable () -> AdapterStatistics
  /// The origins with gauges. The gauges of a removed origin are destroyed, so that redirects do not accumulate gauges.
  private let origins = Mutex<Set<String>>([])

  /// - Parameters:
  ///   - metrics: creates the gauges; by default the factory of `MetricsSystem` at the time of recording.
  ///   - statistics: the adapter's statistics.
  public init(metrics: (any MetricsFactory)? = nil, _ statistics: @escaping @Sendable () -> AdapterStatistics) {
    self.metrics = metrics
    self.statistics = statistics
  }

  /// Records the gauges once.
  public func record() {
    let statistics = statistics()
    let factory = metrics ?? MetricsSystem.factory
    let gone = origins.withLock { origins in
      let known = origins
      origins = Set(statistics.origins.keys)
      return known.subtracting(origins)
    }
    for origin in gone { for (meter, _) in meters(.init(), to: origin, factory) { meter.destroy() } }
    for (origin, connections) in statistics.origins {
      for (meter, count) in meters(connections, to: origin, factory) { meter.set(count) }
    }
    Meter(label: "http.client.active_requests", factory: factory).set(statistics.active)
    Meter(label: "http.client.queued_requests", factory: factory).set(statistics.queued)
  }

  /// Records the gauges at this interval until the task is cancelled, and then throws `CancellationError`.
  public func run(every interval: Duration, clock: any Clock<Duration> = .continuous) async throws {
    while true {
      record()
      try await clock.sleep(for: interval)
    }
  }

  private func meters(
    _ connections: AdapterStatistics.Connections, to origin: String, _ factory: any MetricsFactory
  ) -> [(Meter, Int)] {
    guard let url = URL(string: origin), let scheme = url.scheme, let host = url.host(percentEncoded: false) else { return [] }
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    return [("active", connections.open - connections.idle), ("idle", connections.idle)].map { state, count in
      let dimensions = [
        ("url.scheme", scheme), ("server.address", host), ("server.port", "\(port)"), ("http.connection.state", state),
      ]
      return (Meter(label: "http.client.open_connections", dimensions: dimensions, factory: factory), count)
    }
  }
}
#endif
