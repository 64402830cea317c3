public import FaradayCore
internal import FaradaySupport

/// A precondition of requests, such as a login, a migration or a warm cache.
///
/// A request that one of these methods makes passes the same ``Constraints`` without waiting, because waiting for itself would
/// be a deadlock. This includes child tasks and unstructured tasks created there, but not detached tasks. The request waits for
/// other ``Constraints``: two that depend on each other deadlock until their time limit.
public protocol Constraint: Sendable {
  /// Whether the request may be sent now. Return true for a request that the constraint does not apply to. Called for every
  /// request, concurrently.
  func isSatisfied(for request: Request) async throws -> Bool
  /// Performs the work that satisfies the constraint. One call serves all waiting requests, and the constraint counts as
  /// satisfied when it returns. An error fails all of them. Never called concurrently: if all waiting requests are cancelled,
  /// the call is cancelled too, and the next call starts when it has ended.
  func satisfy(for request: Request) async throws
}

/// Suspends requests until all constraints are satisfied. Constraints are checked and satisfied concurrently. The first error
/// of a constraint is thrown.
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
  ///   - limit: the time that a request waits before it throws ``FaradayCore/TimeoutError``. No limit by default.
  ///   - clock: measures the limit.
  public init(_ constraints: [any Constraint], within limit: Duration? = nil, clock: any Clock<Duration> = .continuous) {
    self.constraints = constraints.map { Shared($0) }
    self.limit = limit
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    if !request.options.ignoresConstraints, !isInside, !constraints.isEmpty {
      if let limit {
        let deadline = Deadline(after: limit, on: clock) {
          TimeoutError(.constraints, limit: limit, request: RequestSummary(request))
        }
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
      // The first error cancels the wait for the others.
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
          // Concurrent work may have satisfied the constraint in the meantime.
          if try await constraint.isSatisfied(for: request) { return }
          try await constraint.satisfy(for: request)
        }
      }
    }
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
  /// Suspends requests until constraints are satisfied, within the limit. See ``FaradayMiddleware/Constraints``.
  public static func constraints(_ constraints: [any Constraint], within limit: Duration? = nil) -> Self {
    Self(constraints, within: limit)
  }
}
