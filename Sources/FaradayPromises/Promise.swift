internal import Synchronization

/// A promise (a future): the eventual value of asynchronous work, or its error. It is settled exactly once. Thread-safe.
///
///     let promise = Promise { try await connection.get("users") }
///     promise.map(\.status).onSuccess { status in print(status) }.onFailure { error in print(error) }
///
/// The work starts at once, and continues if the promise is released. Callbacks run on the thread that settles the promise,
/// unless a ``CallbackContext`` is given. They run in the order in which they were added, and at once if the promise is settled
/// already. No lock is held during a callback. A promise costs one allocation and, for asynchronous work, a task.
public final class Promise<Value: Sendable>: Sendable {
  /// The value, or the error.
  public typealias Outcome = Result<Value, any Error>

  let state = Mutex(State())
  /// The progress of the work; nil if it reports none.
  let reports: Reports?

  struct State {
    var outcome: Outcome?
    /// Whether a caller has claimed the right to settle the promise.
    var isClaimed = false
    var isCancelled = false
    /// Called before the outcome is published.
    var cleanUp: (@Sendable () -> Void)?
    var observers: [Observer] = []
    var lastID = 0
    var cancelWork: (@Sendable () -> [Step])?
  }

  struct Observer {
    let id: Int
    /// Whether the observer prevents cancellation of the work.
    let keepsWorkAlive: Bool
    let call: @Sendable (Outcome) -> [Step]
  }

  init(reports: Reports? = nil) { self.reports = reports }

  /// Starts the asynchronous closure at once, in a new task. The closure's result or error becomes the outcome. ``cancel()``
  /// cancels the task.
  public convenience init(priority: TaskPriority? = nil, _ work: @escaping @Sendable @concurrent () async throws -> Value) {
    self.init()
    run(priority: priority, work)
  }

  /// Bridges callback-based code: the closure is called at once with a resolver, which may be stored and called from any
  /// thread. An error that the closure throws becomes the outcome. If the last reference to the resolver is released without
  /// settling the promise, the outcome is ``PromiseError``.
  public convenience init(_ start: (PromiseResolver<Value>) throws -> Void) {
    self.init()
    let resolver = PromiseResolver(self)
    do { try start(resolver) } catch { resolver.reject(error) }
  }

  /// A promise that is settled already.
  public convenience init(_ outcome: Outcome) {
    self.init()
    settle(outcome)
  }

  /// A pending promise, and the resolver that settles it.
  public static func pending() -> (promise: Promise, resolver: PromiseResolver<Value>) {
    let promise = Promise()
    return (promise, PromiseResolver(promise))
  }

  /// The outcome; nil while the promise is pending.
  public var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Settles a pending promise with a `CancellationError`, and cancels its work. A promise that this promise was derived from
  /// is cancelled too if no other observer waits for it. The work may still be running when this method returns.
  public func cancel() {
    Step.runAll(beginSettling(.failure(CancellationError()), cancelling: true) ?? [])
  }

  /// Waits for the outcome. If the waiting task is cancelled, it throws a `CancellationError` at once. The work is cancelled
  /// too if no other task, callback or derived promise waits for it.
  public var value: Value {
    get async throws {
      if let outcome { return try outcome.get() }
      let waiter = derive { outcome, waiter in waiter.beginSettling(outcome) }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          waiter.whenSettled { continuation.resume(with: $0) }
        }
      } onCancel: {
        waiter.cancel()
      }
    }
  }
}
