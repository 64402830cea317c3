/// Asks the server before a large body is sent: `Expect: 100-continue` (RFC 9110, section 10.1.1).
public struct ExpectContinue: Sendable, Hashable {
  /// Bodies of at least so many bytes, and those of unknown length, are asked for: 1 MiB by default, as with curl.
  public var minimumBodySize: Int64
  /// How long the answer is waited for before the body is sent without one: 1 second by default.
  public var timeout: Duration

  /// The defaults are curl's.
  public init(minimumBodySize: Int64 = 1 << 20, timeout: Duration = .seconds(1)) {
    self.minimumBodySize = minimumBodySize
    self.timeout = timeout
  }
}
