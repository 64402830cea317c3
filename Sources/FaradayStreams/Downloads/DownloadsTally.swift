internal import FaradayCore
private import Synchronization

/// Adds up the progress of many downloads, and reports it. Thread-safe.
final class DownloadsTally: Sendable {
  private struct State {
    var files: [DownloadProgress?]
    var completed = 0
    var failed = 0
    var bytes: Int64 = 0
    var resumed: Int64 = 0
    var total: Int64 = 0
    /// The number of files whose total is unknown.
    var unknown: Int
    var meter: ProgressMeter

    mutating func progress(isLast: Bool) -> DownloadsProgress? {
      guard let rate = meter.rate(at: max(0, bytes - resumed), isLast: isLast) else { return nil }
      return DownloadsProgress(
        count: files.count, completed: completed, failed: failed,
        transfer: DownloadProgress(bytes: bytes, total: unknown == 0 ? total : nil, resumed: resumed, bytesPerSecond: rate))
    }
  }

  private let state: Mutex<State>
  private let report: @Sendable (DownloadsProgress) -> Void

  init(_ count: Int, _ policy: DownloadPolicy, report: @escaping @Sendable (DownloadsProgress) -> Void) {
    state = Mutex(
      State(files: Array(repeating: nil, count: count), unknown: count, meter: ProgressMeter(policy)))
    self.report = report
  }

  /// Records the progress of one file.
  func advance(_ index: Int, _ progress: DownloadProgress) {
    state.withLock { state in
      let old = state.files[index]
      state.files[index] = progress
      state.bytes &+= progress.bytes - (old?.bytes ?? 0)
      state.resumed &+= progress.resumed - (old?.resumed ?? 0)
      // A server may announce any length, and the sum of several may overflow.
      state.total &+= (progress.total ?? 0) - (old?.total ?? 0)
      state.unknown += (progress.total == nil ? 1 : 0) - (old?.total == nil ? 1 : 0)
      // Reported under the lock, so that no report overtakes another: the documentation of the handler describes it.
      if let all = state.progress(isLast: false) { report(all) }
    }
  }

  func end(isComplete: Bool) {
    state.withLock { state in
      if isComplete { state.completed += 1 } else { state.failed += 1 }
    }
  }

  /// Sends the last report.
  func finish() {
    state.withLock { state in
      if let all = state.progress(isLast: true) { report(all) }
    }
  }
}
