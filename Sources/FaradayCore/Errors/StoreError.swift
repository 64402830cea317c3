/// The error of a store: the file of a `CookieJar`, `HSTSStore` or `AlternativeServiceStore`, the folder or a record of a
/// cache, or the `LimitStore` of a limit. It contains nothing of the stored data.
public struct StoreError: FaradayError, Hashable {
  /// The reason of the error.
  public enum Reason: Sendable, Hashable {
    /// A file could not be read, written or parsed: `No such file or directory`, for instance.
    case file(String)
    /// The folder of a `DiskCache`, or a file in it, could not be used: `No space left on device`, for instance.
    case cache(String)
    /// The bytes are not a complete `CacheRecord`: they are truncated, changed, or of another version.
    case invalidRecord
    /// The `LimitStore` rejected this number of replacements in a row, because others changed the value in the meantime. The
    /// request was counted in memory.
    case contention(attempts: Int)
    /// The `LimitStore` did not respond, or did not reach this request, within its `maximumWait`. The request was counted in
    /// memory.
    case timeout(Duration)
  }

  /// The reason of the error.
  public let reason: Reason
  /// The path of the file or folder; nil if the data did not come from a file.
  public let path: String?
  /// The name of the value in a `LimitStore`: `rate:https://api.example.com:443`.
  public let key: String?

  /// An error with a reason, and the path or key of the data.
  public init(_ reason: Reason, path: String? = nil, key: String? = nil) {
    self.reason = reason
    self.path = path
    self.key = key
  }

  /// Whether a `LimitStore` did not respond in time.
  public var isTimeout: Bool { if case .timeout = reason { true } else { false } }
  /// True for a `LimitStore`: the next request calls the store again.
  public var isTransient: Bool {
    switch reason {
    case .contention, .timeout: true
    case .file, .cache, .invalidRecord: false
    }
  }

  public var description: String {
    switch reason {
    case .file(let problem): (path.map { "file \($0.bounded()): " } ?? "") + problem
    case .cache(let problem): (path.map { "cache in \($0.bounded()): " } ?? "") + problem
    case .invalidRecord: "the bytes are not a complete cache record"
    case .contention(let attempts):
      "limit store: \(key ?? "") was changed concurrently \(attempts) times: the request was counted in memory"
    case .timeout(let limit): "limit store: no response about \(key ?? "") within \(limit): the request was counted in memory"
    }
  }
}
