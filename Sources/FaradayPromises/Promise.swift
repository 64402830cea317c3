internal import Synchronization

/// A value that will be there later, or the error that was met on the way: exactly one outcome, whoever asks and whenever.
///
///     let promise = Promise { try await connection.get("users") }
///     promise.map(\.status).onSuccess { status in print(status) }.onFailure { error in print(error) }
///
/// The work begins at once and does not need the promise to be kept. Callbacks are called on whatever thread settles the promise
/// unless a ``CallbackContext`` says where: those that are there by then in the order they were added, one that comes later at
/// once. No lock is held meanwhile. Making a promise costs an object and, for work that is asynchronous, a task.
public final class Promise<Value: Sendable>: Sendable {
  public typealias Outcome = Result<Value, any Error>

  let state = Mutex(State())

  struct State {
    var outcome: Outcome?
    /// Whether somebody settles it: nobody else may.
    var isClaimed = false
    var isCancelled = false
    /// What is to be done before anybody hears of the outcome.
    var cleanUp: (@Sendable () -> Void)?
    var observers: [Observer] = []
    var lastID = 0
    var cancelWork: (@Sendable () -> [Step])?
  }

  struct Observer {
    let id: Int
    /// Whether the promise's work is worth going on for it.
    let waits: Bool
    let call: @Sendable (Outcome) -> [Step]
  }

  init() {}

  /// A promise for what the closure returns or throws. The closure begins at once, in a task of its own; ``cancel()`` cancels it.
  public init(priority: TaskPriority? = nil, _ work: @escaping @Sendable @concurrent () async throws -> Value) {
    run(priority: priority, work)
  }

  /// A promise that is settled through the resolver, which may be kept and used from anywhere, for code that has callbacks. An
  /// error thrown by the closure, which is called at once, is the outcome. So is ``PromiseAbandoned`` when the last copy of the
  /// resolver goes without having settled it.
  public init(_ start: (PromiseResolver<Value>) throws -> Void) {
    let resolver = PromiseResolver(self)
    do { try start(resolver) } catch { resolver.reject(error) }
  }

  /// A promise that is settled already.
  public init(_ outcome: Outcome) {
    settle(outcome)
  }

  /// A promise and the resolver that settles it.
  public static func pending() -> (promise: Promise, resolver: PromiseResolver<Value>) {
    let promise = Promise()
    return (promise, PromiseResolver(promise))
  }

  /// The outcome; nil while there is none.
  public var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Settles the promise with a `CancellationError`, unless it is settled, and cancels its work. A promise that this one was made
  /// of is cancelled too if nobody else waits for it. The work may still be ending when this returns.
  public func cancel() {
    Step.runAll(begin(.failure(CancellationError()), cancelling: true) ?? [])
  }

  /// Waits for the outcome. A waiting task that is cancelled stops waiting at once, with a `CancellationError`; if nobody else
  /// waits for the promise, that is, no other task, callback or promise made of it, its work is cancelled too.
  public var value: Value {
    get async throws {
      if let outcome { return try outcome.get() }
      let waiter = derive { outcome, waiter in waiter.begin(outcome) }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          waiter.tell { continuation.resume(with: $0) }
        }
      } onCancel: {
        waiter.cancel()
      }
    }
  }
}
