extension HTTPFields {
  /// The delay that `Retry-After` asks for (RFC 9110, section 10.2.3), in seconds or as a date; of several fields the longest. Nil if
  /// there is none that is valid.
  ///
  /// - Parameter now: seconds since 1970, which a date is compared with.
  package func retryAfter(now: () -> Int64) -> Duration? {
    self[values: .retryAfter].compactMap { Self.delay($0, now) }.max()
  }

  private static func delay(_ text: String, _ now: () -> Int64) -> Duration? {
    // Some adapters join several fields by commas; of several the longest counts.
    let numbers = text.split(separator: ",").map { $0.trimming() }
    if !numbers.isEmpty, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) {
      // Too many digits for a number are a very long time.
      return .seconds(numbers.map { Swift.min(Int64($0) ?? .max, 1 << 40) }.max() ?? 0)
    }
    return HTTPDate.parse(text).map { .seconds(Swift.max(0, Int64($0.timeIntervalSince1970) - now())) }
  }
}
