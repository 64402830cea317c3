/// An exponential moving average of the transfer rate, in bytes per second.
struct SmoothedRate: Equatable {
  /// The time constant in seconds.
  static let window = 2.0

  private var start: (bytes: Int64, time: Double)?
  private var last: (bytes: Int64, time: Double)?
  private(set) var bytesPerSecond = 0.0

  /// The average since the start.
  var average: Double {
    guard let start, let last, last.time > start.time else { return 0 }
    return Double(last.bytes - start.bytes) / (last.time - start.time)
  }

  mutating func add(_ bytes: Int64, at time: Double) {
    guard let start, let last else {
      start = (bytes, time)
      last = (bytes, time)
      return
    }
    let passed = time - last.time
    // Pieces that come together say nothing about speed.
    guard passed >= 0.05 else { return }
    let current = Double(bytes - last.bytes) / passed
    // To begin with it is the average: there is nothing yet to be smooth with.
    let weight = max(passed / (passed + Self.window), passed / (time - start.time))
    bytesPerSecond += (current - bytesPerSecond) * weight
    self.last = (bytes, time)
  }

  static func == (left: Self, right: Self) -> Bool { left.bytesPerSecond == right.bytesPerSecond }
}
