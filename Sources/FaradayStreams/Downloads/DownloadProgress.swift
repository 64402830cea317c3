/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
  /// How many bytes of the file are there.
  public internal(set) var bytes: Int64
  /// The size of the file; nil if the server has not said.
  public internal(set) var total: Int64?
  /// How many of ``bytes`` an earlier call had left.
  public internal(set) var resumed: Int64
  /// The rate in bytes per second, smoothed over some seconds; 0 at first.
  public internal(set) var bytesPerSecond: Double
  /// The part that is there, from 0 to 1; nil if the total is unknown.
  public var fraction: Double? { total.map { $0 > 0 ? min(1, Double(bytes) / Double($0)) : 1 } }
  /// How long the rest takes at this rate; nil if the total or the rate is unknown.
  public var timeLeft: Duration? {
    guard let total, bytesPerSecond > 0 else { return nil }
    return .seconds(min(Double(max(0, total - bytes)) / bytesPerSecond, 3_155_760_000))
  }
}

/// Calls a progress callback, at most so often, with a smoothed rate.
struct ProgressReporter {
  private let callback: @Sendable (DownloadProgress) -> Void
  private let interval: Duration
  private let elapsed: () -> Duration
  private var progress = DownloadProgress(bytes: 0, total: nil, resumed: 0, bytesPerSecond: 0)
  private var last: (time: Duration, bytes: Int64)?

  /// Over how many seconds the rate is averaged, roughly.
  private static let window = 3.0

  init(_ options: DownloadOptions, _ callback: @escaping @Sendable (DownloadProgress) -> Void) {
    self.callback = callback
    interval = options.progressInterval
    elapsed = options.clock.elapsed
  }

  mutating func begin(resumed: Int64) {
    progress.resumed = resumed
    progress.bytes = resumed
    last = (elapsed(), resumed)
  }

  mutating func update(bytes: Int64, total: Int64?, isEnd: Bool = false) {
    let now = elapsed()
    progress.bytes = bytes
    progress.total = total
    // It started again: nothing of the part is left.
    progress.resumed = min(progress.resumed, bytes)
    let since = last?.time ?? now
    guard isEnd || now - since >= interval else { return }
    let seconds = (now - since) / .seconds(1)
    if seconds > 0 {
      let rate = max(0, Double(bytes - (last?.bytes ?? bytes))) / seconds
      let weight = progress.bytesPerSecond == 0 ? 1 : min(1, seconds / Self.window)
      progress.bytesPerSecond += (rate - progress.bytesPerSecond) * weight
      last = (now, bytes)
    }
    callback(progress)
  }
}

extension Clock<Duration> {
  /// A function that returns the time since now.
  fileprivate var elapsed: () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
