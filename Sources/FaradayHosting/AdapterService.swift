#if Hosting
public import ServiceLifecycle

/// A service of swift-service-lifecycle that shuts an adapter down.
///
///     let group = ServiceGroup(
///       services: [AdapterService { await curl.shutdown(deadline: $0) }, server],
///       gracefulShutdownSignals: [.sigterm], logger: logger)
///
/// A service group shuts its services down in reverse order: list the adapter before the services that send requests. When
/// it is the adapter's turn, new requests are refused, and active ones are cut at the deadline. If the service's task is
/// cancelled, active requests are cut at once.
public struct AdapterService: Service {
  private let time: Duration
  private let shutdown: @Sendable (ContinuousClock.Instant) async -> Int

  /// - Parameters:
  ///   - time: the time for active requests to end, 20 seconds by default.
  ///   - shutdown: shuts the adapter down with the given deadline: `shutdown(deadline:)` of either adapter.
  public init(
    within time: Duration = .seconds(20), shutdown: @escaping @Sendable (_ deadline: ContinuousClock.Instant) async -> Int
  ) {
    self.time = time
    self.shutdown = shutdown
  }

  /// Waits for the graceful shutdown of the group, and then shuts the adapter down.
  public func run() async throws {
    do {
      try await gracefulShutdown()
    } catch {
      _ = await shutdown(.now)
      throw error
    }
    _ = await shutdown(.now + time)
  }
}
#endif
