internal import FaradayCore

/// The latest latencies of a key, a hundred at most.
struct Latencies: Sendable {
  private var last: [Duration] = []
  private var index = 0

  static let capacity = 100

  var count: Int { last.count }

  mutating func add(_ latency: Duration) {
    if last.count < Self.capacity {
      last.append(latency)
    } else {
      last[index] = latency
      index = (index + 1) % Self.capacity
    }
  }

  /// Returns the latency that this share of them did not exceed (nearest rank); nil if there are none.
  func percentile(_ share: Double) -> Duration? {
    guard !last.isEmpty else { return nil }
    let share = share > 0 ? min(share, 1) : 0
    let rank = Int((share * Double(last.count)).rounded(.up))
    return last.sorted()[min(max(rank, 1), last.count) - 1]
  }
}
