public import Dispatch

/// Where a promise's callbacks are called.
///
///     promise.onSuccess(on: .main) { user in label.text = user.name }
public struct CallbackContext: Sendable {
  let run: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// A context that calls the closure it is given, once, in its own way.
  public init(_ run: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void) { self.run = run }

  /// Where the promise is settled, or at once if it is settled already. The default, which costs nothing; over an adapter's
  /// engine it may be the engine's thread, which waits meanwhile.
  public static let immediate = CallbackContext { $0() }

  /// The main queue. A server program may not serve it.
  public static let main = CallbackContext.queue(.main)

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
