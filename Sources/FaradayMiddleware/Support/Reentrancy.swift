private import Synchronization

/// Detects requests that are made within a middleware's work, such as a login, and that would deadlock by waiting for that
/// work.
///
/// Uses a task-local value: the task that runs the work is inside it, and so are child tasks and unstructured tasks created
/// there, but not detached ones, until the work has ended.
final class Reentrancy: Sendable {
  @TaskLocal private static var calls: [Call] = []

  /// Whether the current task runs within the work.
  var isInside: Bool { Self.calls.contains { $0.work === self && $0.isGoingOn } }

  /// Runs the work.
  func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
    let call = Call(work: self)
    defer { call.end() }
    return try await Self.$calls.withValue(Self.calls.filter(\.isGoingOn) + [call]) { try await work() }
  }

  /// One run of the work. Tasks that were created in it inherit it, and may outlive it.
  private final class Call: Sendable {
    let work: Reentrancy
    private let hasEnded = Atomic(false)

    init(work: Reentrancy) { self.work = work }

    var isGoingOn: Bool { !hasEnded.load(ordering: .acquiring) }
    func end() { hasEnded.store(true, ordering: .releasing) }
  }
}
