import Metrics
import Synchronization

/// One time series: a counter, a gauge, or a histogram if it has bounds. Thread-safe.
final class PrometheusSeries: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  let name: String
  let labels: String
  private let bounds: [Double]
  private let state: Mutex<State>

  private struct State {
    /// The value, or the sum of a histogram.
    var value = 0.0
    /// The number of values in each bucket; the last one has no bound.
    var counts: [Int]
  }

  init(_ name: String, _ labels: String, _ bounds: [Double]) {
    self.name = name
    self.labels = labels
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { state.withLock { $0.value += amount } }
  func decrement(by amount: Double) { increment(by: -amount) }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.value = value } }
  func reset() { set(0.0) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    guard !bounds.isEmpty else { return set(value) }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.value += value
      state.counts[bucket] += 1
    }
  }

  /// The lines of the text format.
  func lines() -> [String] {
    let (value, counts) = state.withLock { ($0.value, $0.counts) }
    guard !bounds.isEmpty else { return ["\(name)\(braces(labels)) \(value)"] }
    var total = 0
    var lines = zip(bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, count in
      total += count
      return "\(name)_bucket\(braces(labels + (labels.isEmpty ? "" : ",") + "le=\"\(bound)\"")) \(total)"
    }
    lines += ["\(name)_sum\(braces(labels)) \(value)", "\(name)_count\(braces(labels)) \(total)"]
    return lines
  }

  private func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
}
