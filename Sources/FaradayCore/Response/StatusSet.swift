/// A set of statuses that a call accepts as success: 2xx by default. Other statuses throw ``StatusError``.
///
///     let user = try await response.decode(User?.self, accepting: [200, 404])
///     let problem = try await response.decode(Problem.self, accepting: .codes(400...))
public struct StatusSet: Sendable {
  private let hasMember: @Sendable (HTTPResponse.Status) -> Bool

  private init(_ hasMember: @escaping @Sendable (HTTPResponse.Status) -> Bool) { self.hasMember = hasMember }

  /// Whether the status is in the set.
  public func contains(_ status: HTTPResponse.Status) -> Bool { hasMember(status) }

  /// Every status from 200 to 299.
  public static let successful = codes(200..<300)

  /// Every status.
  public static let any = StatusSet { _ in true }

  /// The statuses whose codes are in the range: `.codes(200..<400)`.
  public static func codes(_ codes: some RangeExpression<Int> & Sendable) -> StatusSet {
    StatusSet { codes.contains($0.code) }
  }

  /// The statuses for which the closure returns true.
  public static func `where`(_ isMember: @escaping @Sendable (HTTPResponse.Status) -> Bool) -> StatusSet {
    StatusSet(isMember)
  }
}

extension StatusSet: ExpressibleByArrayLiteral {
  /// These statuses: `[200, 404]` or `[.ok, .notFound]`.
  public init(arrayLiteral statuses: HTTPResponse.Status...) {
    let codes = Set(statuses.map(\.code))
    self.init { codes.contains($0.code) }
  }
}
