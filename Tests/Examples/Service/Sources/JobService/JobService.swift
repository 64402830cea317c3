import Faraday
import FaradayCurl
import FaradayHosting
import FaradayObservability
import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle

/// A process of the service: its parts, and the order in which they shut down.
public struct JobService: Sendable {
  private let settings: Settings
  private let metrics: PrometheusRegistry
  private let logger: Logger

  public init(_ settings: Settings, metrics: PrometheusRegistry, logger: Logger) {
    self.settings = settings
    self.metrics = metrics
    self.logger = logger
  }

  /// Runs until SIGTERM or SIGINT. Prints the port, because 0 takes a free one.
  public func run() async throws {
    let curl = CurlAdapter()
    let redis = Redis(settings.redisURL, timeout: settings.redisTimeout)
    let queue = JobQueue(redis: redis, lease: settings.lease)
    let tracer = LoggingTracer(logger: logger)
    let upstreams = try Upstreams(settings, over: curl, redis: redis, metrics: metrics, tracer: tracer, logger: logger)
    let worker = Worker(
      queue: queue, pipeline: Pipeline(upstreams: upstreams), slots: settings.slots, metrics: metrics, tracer: tracer,
      logger: logger)
    let gauges = AdapterGauges(metrics: metrics) { curl.statistics }
    let routes = Routes(
      queue: queue,
      metrics: { [metrics] in
        gauges.record()
        return metrics.text()
      }, logger: logger)
    let server = Application(
      router: routes.router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: settings.port)),
      onServerRunning: { FileHandle.standardOutput.write(Data("port \($0.localAddress?.port ?? 0)\n".utf8)) }, logger: logger)

    // The last service shuts down first: no new requests, then the jobs end, then the pool, then Redis.
    var group = ServiceGroupConfiguration(
      services: [redis, AdapterService { await curl.shutdown(deadline: $0) }, worker, server],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = settings.lease
    try await ServiceGroup(configuration: group).run()
  }
}
