public import FaradayCore

/// A precondition of requests, such as a login, a migration or a warm cache.
///
/// A request that one of these methods makes, also in a child task or an unstructured task created there, but not in a detached
/// one, passes the same ``Constraints`` without waiting, as waiting for itself would be a deadlock. It waits for other
/// ``Constraints``: two that need each other deadlock until their time limit.
public protocol Constraint: Sendable {
  /// Whether the request may be sent now; also true for a request that it does not concern. Called for every request,
  /// concurrently.
  func isSatisfied(for request: Request) async throws -> Bool
  /// Performs the work that satisfies the constraint. One call serves all requests that wait, and the constraint counts as
  /// satisfied when it returns. An error fails all of them. Never called concurrently: if all waiting requests are cancelled,
  /// so is the call, and the next one starts when it has ended.
  func satisfy(for request: Request) async throws
}

/// Suspends requests until all constraints are satisfied, which are checked and satisfied concurrently. The first error of a
/// constraint is thrown.
///
///     connection.use(.constraints([LoggedIn(session)], within: .seconds(30)))
///
/// A request opts out with ``FaradayCore/Options/ignoresConstraints``. Cancelling one request does not affect the others.
/// Thread-safe; copies share their state.
public struct Constraints: Middleware {
  private let constraints: [Shared]
  private let limit: Duration?
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - limit: how long a request waits before it throws ``ConstraintsTimedOut``. No limit by default.
  ///   - clock: measures the limit.
  public init(_ constraints: [any Constraint], within limit: Duration? = nil, clock: any Clock<Duration> = .continuous) {
    self.constraints = constraints.map { Shared($0) }
    self.limit = limit
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    if !request.options.ignoresConstraints, !isInside, !constraints.isEmpty {
      if let limit {
        let deadline = Deadline(after: limit, on: clock) { ConstraintsTimedOut(limit: limit, request: RequestSummary(request)) }
        try await deadline.value { try await hold(request) }
      } else {
        try await hold(request)
      }
    }
    return try await next(request)
  }

  /// Whether the current task is part of the work of one of these constraints.
  private var isInside: Bool { constraints.contains { $0.work.isInside } }

  private func hold(_ request: Request) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for constraint in constraints { group.addTask { try await constraint.hold(request) } }
      // The first error ends the waiting for the others.
      while try await group.next() != nil {}
    }
  }

  private final class Shared: Sendable {
    private let constraint: any Constraint
    private let flight = SingleFlight<Void>()
    let work = Reentrancy()

    init(_ constraint: any Constraint) { self.constraint = constraint }

    func hold(_ request: Request) async throws {
      if try await work.run({ try await constraint.isSatisfied(for: request) }) { return }
      try await flight.value { [self] in
        try await work.run {
          // Somebody else's work may have ended in between.
          if try await constraint.isSatisfied(for: request) { return }
          try await constraint.satisfy(for: request)
        }
      }
    }
  }
}

/// A request's constraints were not satisfied within the time limit.
public struct ConstraintsTimedOut: FaradayError, Equatable {
  /// The time limit.
  public let limit: Duration
  /// The request that waited.
  public let request: RequestSummary?
  /// True.
  public var isTimeout: Bool { true }
  public var description: String {
    naming("timed out: the request's constraints were not satisfied within \(limit)")
  }
}

extension Options {
  /// Whether the request is sent without waiting for constraints. False by default.
  public var ignoresConstraints: Bool {
    get { self[IgnoresConstraints.self] }
    set { self[IgnoresConstraints.self] = newValue }
  }

  private enum IgnoresConstraints: OptionKey { static let defaultValue = false }
}

extension Middleware where Self == Constraints {
  /// Suspends requests until constraints are satisfied, at most as long as the limit. See ``FaradayMiddleware/Constraints``.
  public static func constraints(_ constraints: [any Constraint], within limit: Duration? = nil) -> Self {
    Self(constraints, within: limit)
  }
}
