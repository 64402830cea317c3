import Metrics
import Synchronization

/// A backend of swift-metrics that shows its metrics in the text format of Prometheus. Thread-safe.
///
/// The names follow OpenTelemetry's rules for Prometheus: `http.client.request.duration` is
/// `http_client_request_duration_seconds`, and a counter ends in `_total`.
public final class PrometheusRegistry: MetricsFactory {
  private struct Family {
    let type: String
    /// The name in swift-metrics.
    let label: String
    var series: [String: PrometheusSeries] = [:]
  }

  private let families = Mutex<[String: Family]>([:])
  /// The highest number of series with one name. Others are not shown, because a bug must not fill the memory.
  private let maximumSeries = 2000

  public init() {}

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series("counter", label, suffix: "_total", dimensions)
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series("gauge", label, dimensions)
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    guard aggregate else { return series("gauge", label, dimensions) }
    let isSize = label.hasSuffix(".size")
    return series(
      "histogram", label, suffix: isSize ? "_bytes" : label.hasSuffix(".duration") ? "_seconds" : "", dimensions,
      bounds: isSize ? Self.bytes : Self.seconds)
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series("histogram", label, suffix: "_seconds", dimensions, bounds: Self.seconds)
  }

  public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// All metrics as text, `text/plain; version=0.0.4`.
  public func text() -> String {
    let all = families.withLock { $0 }
    return all.sorted { $0.key < $1.key }.map { name, family in
      let lines = family.series.sorted { $0.key < $1.key }.flatMap { $0.value.lines() }
      return "# HELP \(name) \(family.label)\n# TYPE \(name) \(family.type)\n" + lines.map { $0 + "\n" }.joined()
    }.joined()
  }

  // The buckets that OpenTelemetry recommends for durations, and powers of 4 for sizes.
  private static let seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
  private static let bytes = (3...12).map { Double(1 << (2 * $0)) }

  private func series(
    _ type: String, _ label: String, suffix: String = "", _ dimensions: [(String, String)], bounds: [Double] = []
  ) -> PrometheusSeries {
    let name = Self.name(label) + suffix
    let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    return families.withLock { families in
      if let known = families[name]?.series[labels] { return known }
      let series = PrometheusSeries(name, labels, bounds)
      if families[name, default: Family(type: type, label: label)].series.count < maximumSeries {
        families[name, default: Family(type: type, label: label)].series[labels] = series
      }
      return series
    }
  }

  private func remove(_ handler: AnyObject) {
    guard let series = handler as? PrometheusSeries else { return }
    families.withLock { _ = $0[series.name]?.series.removeValue(forKey: series.labels) }
  }

  private static func name(_ label: String) -> String {
    String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private static func escaped(_ value: String) -> String {
    value.map { ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"][$0] ?? String($0) }.joined()
  }
}
