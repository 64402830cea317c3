internal import FaradayCore

/// How a download treats existing files and interruptions, and how often it reports its progress.
public struct DownloadPolicy: Sendable {
  /// What to do if there is a file at the destination.
  public enum ExistingFile: Sendable, Hashable {
    /// Replaces it when the download is complete; until then it stays as it is. The new file has its permissions. A symbolic link is
    /// replaced, not followed.
    case replace
    /// Throws ``DownloadError/Reason/fileExists``: before anything is sent, and again instead of replacing one that has come since.
    case fail
  }

  /// What to do if there is a file at the destination: ``ExistingFile/replace`` by default.
  public var existing: ExistingFile
  /// The maximum number of interruptions in a row after which the transfer goes on by itself, 5 by default; one after new bytes
  /// counts as the first. 0 throws after the first.
  public var retries: Int
  /// The upper bound of the random delay after the first interruption; it doubles with each in a row. 500 ms by default.
  public var initialDelay: Duration
  /// The upper bound that the delay does not exceed, and the longest `Retry-After` that is honored. 20 seconds by default. A request
  /// that the connection's own stack has refused (``FaradayCore/RefusedRequest``) is sent again after this time at the latest.
  public var maxDelay: Duration
  /// The maximum number of progress reports a second, beside the last one: 10 by default. 0 reports only the end.
  public var reportsPerSecond: Double
  /// Measures delays and rates; tests pass a manual one.
  public var clock: any Clock<Duration>
  /// The jitter, from 0 to 1.
  package var random: @Sendable () -> Double = { .random(in: 0...1) }
  /// The free space of the volume, if it is not to be asked.
  package var freeSpace: Int64?

  /// The defaults: replaces an existing file, and survives 5 interruptions in a row.
  public init(
    existing: ExistingFile = .replace, retries: Int = 5, initialDelay: Duration = .milliseconds(500),
    maxDelay: Duration = .seconds(20), reportsPerSecond: Double = 10, clock: any Clock<Duration> = .continuous
  ) {
    self.existing = existing
    self.retries = retries
    self.initialDelay = initialDelay
    self.maxDelay = maxDelay
    self.reportsPerSecond = reportsPerSecond
    self.clock = clock
  }

  /// The delay after so many interruptions in a row: exponential backoff with full jitter, at least what the server asks for. Nil if
  /// that is too long.
  func delay(after interruptions: Int, retryAfter: Duration?) -> Duration? {
    if let retryAfter, retryAfter > maxDelay { return nil }
    let limit = maxDelay.withinClocks
    var span = min(initialDelay.withinClocks, limit)
    for _ in 1..<max(1, interruptions) where span < limit { span = min(span * 2, limit) }
    return max(span.scaled(by: random()), retryAfter ?? .zero)
  }
}

/// Whether a download goes on where an earlier one has stopped.
public enum DownloadResuming: Sendable, Hashable {
  /// Never: each request is for the whole file, and nothing is kept after a failure. An interrupted transfer starts again.
  case never
  /// If the server says that the file is unchanged: by a strong `ETag`, or else a `Last-Modified` a minute before the `Date` (RFC
  /// 9110, section 13.1.5), which each part must state. Otherwise it starts again.
  case ifUnchanged
}
