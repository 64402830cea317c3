public import Dispatch

/// The execution context of a promise's callbacks: immediate, a dispatch queue, or a task executor. For the main actor use
/// ``MainContext``.
///
///     promise.onSuccess(on: .queue(queue)) { user in print(user.name) }
public struct CallbackContext: Sendable {
  let run: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// A context that runs each callback with this closure, which must call it exactly once.
  public init(_ run: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void) { self.run = run }

  /// The thread that settles the promise, or the caller's thread if the promise is settled already. The default, without
  /// overhead. Over an adapter it may be the engine's thread, which a slow callback blocks.
  public static let immediate = CallbackContext { $0() }

  /// A dispatch queue. On a serial queue callbacks run in order.
  public static func queue(_ queue: DispatchQueue) -> CallbackContext {
    CallbackContext { callback in queue.async(execute: callback) }
  }

  /// A task executor. Callbacks may run concurrently and in any order.
  public static func executor(_ executor: any TaskExecutor) -> CallbackContext {
    CallbackContext { callback in
      Task(executorPreference: executor) { callback() }
    }
  }
}

/// The main actor as a callback context: callbacks may access main-actor state. They run in order, on the main queue. A server
/// program may not run the main queue.
///
///     @MainActor final class Profile {
///       var name = ""
///       func load() { client.promise { try await $0.user(1) }.onSuccess(on: .main) { user in self.name = user.name } }
///     }
public struct MainContext: Sendable {
  /// The main actor.
  public static let main = MainContext()

  func run(_ callback: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated(callback) }
  }
}
