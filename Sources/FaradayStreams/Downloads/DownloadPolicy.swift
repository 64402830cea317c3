internal import FaradayCore

/// The rules of a download for existing files, interruptions, and progress reports.
public struct DownloadPolicy: Sendable {
  /// The action if there is a file at the destination.
  public enum ExistingFile: Sendable, Hashable {
    /// Replaces it when the download is complete; until then it is unchanged. The new file gets its permissions. A symbolic
    /// link is replaced, not followed.
    case replace
    /// Throws ``DownloadError/Reason/fileExists``: before anything is sent, and again at the end if a file has appeared since
    /// then.
    case fail
  }

  /// The action if there is a file at the destination: ``ExistingFile/replace`` by default.
  public var existing: ExistingFile
  /// The maximum number of interruptions in a row after which the transfer resumes automatically, 5 by default. New bytes reset
  /// the count. 0 throws after the first interruption.
  public var retries: Int
  /// The upper bound of the random delay after the first interruption. It doubles with each further interruption in a row. 500
  /// ms by default.
  public var initialDelay: Duration
  /// The upper bound of the delay, and the longest `Retry-After` that is honored. 20 seconds by default. Jitter of at most
  /// ``initialDelay`` is added to a `Retry-After`. A request that a middleware of the connection has rejected
  /// (``FaradayCore/RefusedRequestError``) is treated as if it had a `Retry-After` of at most this time.
  public var maximumDelay: Duration
  /// The maximum number of progress reports a second, in addition to the final one: 10 by default. 0 reports only the end.
  public var reportsPerSecond: Double
  /// Measures delays and rates; tests pass a manual one.
  public var clock: any Clock<Duration>
  /// The jitter, from 0 to 1.
  package var random: @Sendable () -> Double = { .random(in: 0...1) }
  /// The free space of the volume, if it is not to be queried.
  package var freeSpace: Int64?

  /// Creates a policy. By default it replaces an existing file, and allows 5 interruptions in a row.
  public init(
    existing: ExistingFile = .replace, retries: Int = 5, initialDelay: Duration = .milliseconds(500),
    maximumDelay: Duration = .seconds(20), reportsPerSecond: Double = 10, clock: any Clock<Duration> = .continuous
  ) {
    self.existing = existing
    self.retries = retries
    self.initialDelay = initialDelay
    self.maximumDelay = maximumDelay
    self.reportsPerSecond = reportsPerSecond
    self.clock = clock
  }

  /// Returns the delay after a number of interruptions in a row: exponential backoff with full jitter, with `Retry-After` as
  /// its minimum. Nil
  /// if `Retry-After` exceeds ``maximumDelay``.
  func delay(after interruptions: Int, retryAfter: Duration?) -> Duration? {
    if let retryAfter, retryAfter > maximumDelay { return nil }
    return Backoff(initial: initialDelay, maximum: maximumDelay).delay(
      beforeRetry: interruptions, random: random(), retryAfter: retryAfter)
  }
}

/// Whether a download resumes an earlier one.
public enum DownloadResuming: Sendable, Hashable {
  /// Never: each request is for the whole file, and nothing is kept after a failure. An interrupted transfer starts from the
  /// beginning.
  case never
  /// If the server confirms that the file is unchanged: by a strong `ETag`, or else a `Last-Modified` a minute before the
  /// `Date` (RFC 9110, section 13.1.5), which each part must contain. Otherwise the download starts from the beginning.
  case ifUnchanged
}
