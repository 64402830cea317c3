/// An exponential moving average of the transfer rate, in bytes per second.
package struct SmoothedRate: Sendable {
  /// The time constant in seconds.
  private static let window = 2.0

  private var start: (bytes: Int64, time: Double)?
  private var last: (bytes: Int64, time: Double)?
  package private(set) var bytesPerSecond = 0.0

  package init() {}

  /// The average since the start.
  package var average: Double {
    guard let start, let last, last.time > start.time else { return 0 }
    return Double(last.bytes - start.bytes) / (last.time - start.time)
  }

  /// Records the number of transferred bytes at a time in seconds.
  package mutating func add(_ bytes: Int64, at time: Double) {
    guard let start, let last else {
      start = (bytes, time)
      last = (bytes, time)
      return
    }
    guard bytes >= last.bytes else {
      // The transfer has started again: the difference is not a rate.
      self.start?.bytes -= last.bytes - bytes
      self.last = (bytes, time)
      return
    }
    let passed = time - last.time
    // The interval between pieces of the same read is not a rate.
    guard passed >= 0.05 else { return }
    let current = Double(bytes - last.bytes) / passed
    // The average of the first seconds: there are no earlier values to smooth with.
    let weight = max(passed / (passed + Self.window), passed / (time - start.time))
    bytesPerSecond += (current - bytesPerSecond) * weight
    self.last = (bytes, time)
  }
}
