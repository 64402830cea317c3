public import FaradayCore

/// The key of a limit. Requests with equal keys share a limit.
///
///     .concurrencyLimit(10)                                        // 10 to each origin
///     .concurrencyLimit(2, by: .tags)                              // a bulkhead for each set of tags
///     .rateLimit(5, per: .seconds(1), by: .key { $0.headers[.authorization] == nil ? "guest" : "user" })
///
/// A key is kept in memory, and names the state in a ``LimitStore``; it must not be a secret.
public struct LimitKey: Sendable {
  let name: @Sendable (Request) -> String

  /// Requests to the same scheme, host and port.
  public static let origin = Self { Origin($0.url).text }
  /// All requests together.
  public static let all = Self { _ in "all" }
  /// Requests with the same ``FaradayCore/Options/tags``; all requests without tags together. The key is `"reports","slow"`.
  public static let tags = Self { $0.options.tags.sorted().map { String(reflecting: $0) }.joined(separator: ",") }
  /// Requests for which the closure returns the same text. Only the first 1 KiB of the text counts.
  public static func key(_ name: @escaping @Sendable (Request) -> String) -> Self { Self { name($0).bounded() } }
}
