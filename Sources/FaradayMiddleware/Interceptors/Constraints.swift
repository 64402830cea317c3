public import FaradayCore

/// Something that must hold before a request is sent: a login, a migration, a warm cache.
///
/// Until one of these calls returns, requests made in it, and in tasks begun in it that are not detached, pass the constraints of
/// the same ``Constraints`` by, as they would wait for themselves. Those of another they wait for: two that need each other wait as
/// long as their limit says.
public protocol Constraint: Sendable {
  /// Whether the request may be sent as things are; also true for one that it does not concern. Called for every request,
  /// at any time and from any task.
  func isSatisfied(for request: Request) async throws -> Bool
  /// Brings it about. One call serves all requests that wait; it is satisfied when this returns, and nobody asks again. An error
  /// fails them all. There are never two calls at a time: where all who wait are cancelled, so is the call, and the next waits
  /// until it has ended.
  func satisfy(for request: Request) async throws
}

/// Holds requests until constraints are satisfied, which are looked at and satisfied at the same time, and fails them with the
/// first error of one.
///
///     connection.use(.constraints([LoggedIn(session)], within: .seconds(30)))
///
/// A request opts out with ``FaradayCore/Options/ignoresConstraints``. One that is cancelled leaves the others waiting. Copies
/// share what is going on.
public struct Constraints: Middleware {
  private let constraints: [Shared]
  private let limit: Duration?
  private let clock: any Clock<Duration>

  /// - Parameter limit: how long a request waits; then it throws ``ConstraintsTimedOut``. Nil waits as long as it takes.
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

  /// Whether the task is looking at one of these constraints, or satisfying it.
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

/// Constraints were not satisfied in time.
public struct ConstraintsTimedOut: FaradayError, Equatable {
  public let limit: Duration
  public let request: RequestSummary?
  public var isTimeout: Bool { true }
  public var description: String {
    naming("the constraints of the request were not satisfied within \(limit)")
  }
}

extension Options {
  /// Whether the request is sent whatever the constraints say.
  public var ignoresConstraints: Bool {
    get { self[IgnoresConstraints.self] }
    set { self[IgnoresConstraints.self] = newValue }
  }

  private enum IgnoresConstraints: OptionKey { static let defaultValue = false }
}

extension Middleware where Self == Constraints {
  /// Holds requests until constraints are satisfied.
  public static func constraints(_ constraints: [any Constraint], within limit: Duration? = nil) -> Self {
    Self(constraints, within: limit)
  }
}
