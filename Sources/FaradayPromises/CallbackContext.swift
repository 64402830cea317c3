public import Dispatch

/// Where a promise's callbacks are called. For the main actor there is ``MainContext``.
///
///     promise.onSuccess(on: .queue(queue)) { user in print(user.name) }
public struct CallbackContext: Sendable {
  let run: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// A context that calls the closure it is given, once, in its own way.
  public init(_ run: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void) { self.run = run }

  /// Where the promise is settled, or at once if it is settled already. The default, which costs nothing; over an adapter's
  /// engine it may be the engine's thread, which waits meanwhile.
  public static let immediate = CallbackContext { $0() }

  /// A queue, in its order.
  public static func queue(_ queue: DispatchQueue) -> CallbackContext {
    CallbackContext { callback in queue.async(execute: callback) }
  }

  /// An executor of tasks. One callback is not kept in the order of the other.
  public static func executor(_ executor: any TaskExecutor) -> CallbackContext {
    CallbackContext { callback in
      Task(executorPreference: executor) { callback() }
    }
  }
}

/// The main actor, as the place where callbacks are called: these may touch what belongs to it. They are called in order, by the main
/// queue, which a server program may not serve.
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
