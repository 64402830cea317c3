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

  /// The remaining time at this rate; nil if the total or the rate is unknown.
  public var timeLeft: Duration? {
    guard let total, bytesPerSecond > 0 else { return nil }
    let seconds = max(0, Double(total) - Double(bytes)) / bytesPerSecond
    // A Duration cannot represent every number of seconds.
    return seconds < 3e9 ? .seconds(seconds) : nil
  }
}

/// Measures the rate of a transfer, and limits how often it is reported.
struct ProgressMeter {
  private let elapsed: @Sendable () -> Duration
  private let interval: Double
  private var rate = SmoothedRate()
  private var lastReport: Double?

  init(_ policy: DownloadPolicy) {
    elapsed = policy.clock.stopwatch()
    // Zero and NaN mean no reports.
    interval = policy.reportsPerSecond > 0 ? 1 / policy.reportsPerSecond : .infinity
  }

  /// Records the number of transferred bytes. Returns the rate if a report is due.
  mutating func rate(at bytes: Int64, isLast: Bool = false) -> Double? {
    let time = elapsed().inSeconds
    rate.add(bytes, at: time)
    if !isLast {
      guard interval < .infinity, lastReport.map({ time - $0 >= interval }) ?? true else { return nil }
      lastReport = time
    }
    return rate.bytesPerSecond
  }
}
