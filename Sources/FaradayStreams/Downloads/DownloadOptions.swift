public import FaradayCore

/// How a download retries, what it verifies, and what it does with a file that exists.
public struct DownloadOptions: Sendable {
  /// Whether a part that is there is continued.
  public enum Resuming: Sendable, Hashable {
    /// The part is dropped, and the download starts with the first byte. What breaks off is continued.
    case never
    /// The part is continued if it is of the same URL, and the server says that what it has is unchanged (`If-Range`). The default.
    case ifUnchanged
  }

  /// Whether a file that has the name already is replaced; true by default. Otherwise
  /// ``DownloadError/Reason/fileExists`` is thrown before anything is sent. It is checked again before the rename.
  public var replacesExisting = true
  /// What the file must have; nil by default.
  public var checksum: Checksum?
  /// Whether `Repr-Digest` and `Content-Digest` of the response are verified; true by default.
  public var verifiesDigests = true
  /// How many times in a row a transfer may break off without a new byte before its error is thrown; 5 by default. The first request's
  /// error is thrown at once if nothing was received: that is for `Retry`.
  public var maximumFailures = 5
  /// The upper bound of the random delay before the first continuation, which doubles with each failure in a row; 500 ms by default.
  public var initialDelay: Duration = .milliseconds(500)
  /// The upper bound that the backoff does not exceed; 30 s by default.
  public var maximumDelay: Duration = .seconds(30)
  /// The shortest time between two calls of the progress callback; 100 ms by default.
  public var progressInterval: Duration = .milliseconds(100)
  /// Measures delays and progress; tests pass a manual clock.
  public var clock: any Clock<Duration> = .continuous
  /// The jitter, from 0 to 1.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// The defaults.
  public init() {}
}
