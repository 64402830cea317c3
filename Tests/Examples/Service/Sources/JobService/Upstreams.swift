import Faraday
import FaradayCache
import FaradayObservability
import Logging
import Metrics
import Tracing

/// The three upstreams, each with a connection of its own. They share the adapter with its pool, and the stores in Redis.
struct Upstreams: Sendable {
  /// Any server, by absolute URLs that tenants give.
  let pages: Connection
  let classifier: Connection
  let archive: Connection

  /// - Parameter redis: without it each process counts and caches in its own memory.
  init(
    _ settings: Settings, over adapter: any Adapter, redis: Redis?, metrics: any MetricsFactory, tracer: any Tracer,
    logger: Logger
  ) throws {
    let limits = redis.map { RedisLimitStore(redis: $0) }
    let onStoreError: @Sendable (any Error) -> Void = { logger.warning("counted in memory: \($0)") }

    /// The list that all three have in common: the whole call, the standard list, and what observes each attempt.
    func middleware(
      _ metrics: any MetricsFactory, authorization: (any Middleware)? = nil, cache: (any Middleware)? = nil,
      rateLimit: RateLimit? = nil
    ) -> [any Middleware] {
      [.countResends, .timeout(settings.callLimit), .statusValidation]
        + .standard(
          authorization: authorization, cache: cache,
          circuitBreaker: CircuitBreaker(store: limits, onStoreError: onStoreError), rateLimit: rateLimit, logger: logger)
        + [.observability(tracer: tracer, metrics: metrics)]
    }

    let cache: any CacheStore = if let redis { RedisCacheStore(redis: redis) } else { MemoryCache() }
    var options = settings.http
    options.maximumBodySize = 1 << 20
    options.addressPolicy = settings.allowsPrivateAddresses ? nil : .publicOnly
    pages = Connection(
      defaults: options, adapter: adapter,
      middleware: middleware(
        Self.withoutHosts(metrics), cache: HTTPCache(in: cache),
        // A refused job goes back to the queue, so that it holds no slot while it waits. One server's `Retry-After` must not stop
        // the tenant's requests to all other servers.
        rateLimit: RateLimit(
          RateLimit.Policy(settings.tenantPages, per: settings.tenantInterval, maximumWait: .zero, obeysServer: false),
          by: .key { $0.options.tenant }, store: limits, onStoreError: onStoreError)))
    classifier = try Connection(
      settings.classifierURL, defaults: settings.http, adapter: adapter, middleware: middleware(metrics))
    archive = try Connection(
      settings.archiveURL, defaults: settings.http, adapter: adapter,
      middleware: middleware(metrics, authorization: .authorization(.bearer(settings.archiveToken))))
  }

  /// A tenant chooses the host of a page. Its name must not be a dimension, or tenants could create any number of time series.
  private static func withoutHosts(_ metrics: some MetricsFactory) -> any MetricsFactory {
    metrics.withLabelAndDimensionsMapping { label, dimensions in
      (label, dimensions.map { $0.0.hasPrefix("server.") ? ($0.0, "any") : $0 })
    }
  }
}

extension Options {
  /// The tenant whose rate limit a request counts for.
  var tenant: String {
    get { self[Tenant.self] }
    set { self[Tenant.self] = newValue }
  }

  private enum Tenant: OptionKey { static let defaultValue = "" }
}
