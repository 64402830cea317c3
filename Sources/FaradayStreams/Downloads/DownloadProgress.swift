internal import FaradayCore

/// The progress of a download to a file.
public struct DownloadProgress: Sendable, Hashable {
  /// The bytes of the file so far, resumed ones included.
  public var bytes: Int64
  /// The size of the file; nil if it is not known.
  public var total: Int64?
  /// The bytes that an earlier download had written.
  public var resumed: Int64
  /// The smoothed rate, in bytes a second; 0 if it is not known yet.
  public var bytesPerSecond: Double

  init(bytes: Int64 = 0, total: Int64? = nil, resumed: Int64 = 0, bytesPerSecond: Double = 0) {
    self.bytes = bytes
    self.total = total
    self.resumed = resumed
    self.bytesPerSecond = bytesPerSecond
  }

  /// The completed fraction, from 0 to 1; nil if the total is unknown.
  public var fraction: Double? { TransferProgress(bytes: bytes, total: total).fraction }

  /// The time that the rest takes at this rate; nil if the total or the rate is unknown.
  public var timeLeft: Duration? {
    guard let total, bytesPerSecond > 0 else { return nil }
    let seconds = max(0, Double(total) - Double(bytes)) / bytesPerSecond
    // A duration has no room for any number of seconds.
    return seconds < 3e9 ? .seconds(seconds) : nil
  }
}

/// Makes the reports of a transfer: measures its rate, and leaves out what is too much.
struct ProgressMeter {
  private let elapsed: () -> Double
  private let interval: Double
  private var last: (bytes: Int64, time: Double)?
  private var rate = 0.0
  private var lastReport: Double?

  init(_ policy: DownloadPolicy) {
    elapsed = Self.stopwatch(policy.clock)
    // Not a number, and none at all, are no reports.
    interval = policy.reportsPerSecond > 0 ? 1 / policy.reportsPerSecond : .infinity
  }

  private static func stopwatch<C: Clock>(_ clock: C) -> () -> Double where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) / .seconds(1) }
  }

  /// Measures the rate at so many transferred bytes: an exponential moving average over about two seconds.
  private mutating func measure(_ bytes: Int64, at time: Double) {
    // Started again: fewer bytes than before say nothing about speed.
    guard let last, bytes >= last.bytes else {
      last = (bytes, time)
      return
    }
    let passed = time - last.time
    // Pieces that come together say nothing either.
    guard passed >= 0.05 else { return }
    let current = Double(bytes - last.bytes) / passed
    rate = rate == 0 ? current : rate + (current - rate) * (passed / (passed + 2))
    self.last = (bytes, time)
  }

  /// Measures, and gives the rate if it is time for a report.
  mutating func rate(at bytes: Int64, isLast: Bool = false) -> Double? {
    let time = elapsed()
    measure(bytes, at: time)
    guard !isLast else { return rate }
    if let lastReport, time - lastReport < interval { return nil }
    guard interval < .infinity else { return nil }
    lastReport = time
    return rate
  }
}
