public import Dispatch

/// Where the callbacks of a promise run: at once, on a dispatch queue, or on a task executor. For the main actor there is
/// ``MainContext``.
///
///     promise.onSuccess(on: .queue(queue)) { user in print(user.name) }
public struct CallbackContext: Sendable {
  let run: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// A context that runs each callback with this closure, which must call it exactly once.
  public init(_ run: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void) { self.run = run }

  /// The thread that settles the promise, or the caller's if it is settled already. The default, without overhead; over an
  /// adapter it may be the engine's thread, which a slow callback blocks.
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

/// The main actor as a callback context: callbacks may access main-actor state. They run in order, on the main queue, which a
/// server program may not be running.
///
///     @MainActor final class Profile {
///       var name = ""
///       func load() { client.promise.user(1).onSuccess(on: .main) { user in self.name = user.name } }
///     }
public struct MainContext: Sendable {
  /// The main actor.
  public static let main = MainContext()

  func run(_ callback: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated(callback) }
  }
}
