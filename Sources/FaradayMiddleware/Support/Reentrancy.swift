private import Synchronization

/// Work of a middleware, such as a login, whose own requests may come by the same middleware: they must not wait for that work.
///
/// A task is part of the work that it runs, and so are the tasks that it begins there, detached ones excepted, until the work has
/// ended.
final class Reentrancy: Sendable {
  @TaskLocal private static var calls: [Call] = []

  /// Whether the current task is part of the work.
  var isInside: Bool { Self.calls.contains { $0.work === self && $0.isGoingOn } }

  /// Runs the work.
  func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
    let call = Call(work: self)
    defer { call.end() }
    return try await Self.$calls.withValue(Self.calls.filter(\.isGoingOn) + [call]) { try await work() }
  }

  /// Tasks that were begun in it inherit it, and may outlive it.
  private final class Call: Sendable {
    let work: Reentrancy
    private let hasEnded = Atomic(false)

    init(work: Reentrancy) { self.work = work }

    var isGoingOn: Bool { !hasEnded.load(ordering: .acquiring) }
    func end() { hasEnded.store(true, ordering: .releasing) }
  }
}
