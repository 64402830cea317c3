/// The priority of a request among those that wait for a limit: the higher goes first, and of equal ones the one that came first.
///
/// It orders the queues of this package's limits. It is not sent, and no thread's or task's priority.
public struct RequestPriority: RawRepresentable, Sendable, Hashable, Comparable {
  /// The higher, the earlier.
  public let rawValue: Int
  /// A priority between or beyond the named ones.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// -100, for what nobody waits for: prefetching, reports.
  public static let low = Self(rawValue: -100)
  /// 0, the default.
  public static let normal = Self(rawValue: 0)
  /// 100, for what a person waits for.
  public static let high = Self(rawValue: 100)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Options {
  /// The request's place in the queues of `RateLimit` and `ConcurrencyLimit`: ``RequestPriority/normal`` by default.
  public var priority: RequestPriority {
    get { self[Priority.self] }
    set { self[Priority.self] = newValue }
  }

  /// Labels of the request; none by default. Limits can be kept for each (a bulkhead), and services cancel by them.
  public var tags: Set<String> {
    get { self[Tags.self] }
    set { self[Tags.self] = newValue }
  }

  private enum Priority: OptionKey { static let defaultValue = RequestPriority.normal }
  private enum Tags: OptionKey { static let defaultValue: Set<String> = [] }
}
