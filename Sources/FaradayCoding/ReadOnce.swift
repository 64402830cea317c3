private import Synchronization

/// A value that is read with the first look at it, once: what a middleware leaves in a response whose body may never be looked
/// at. A second thread that looks meanwhile waits.
package final class ReadOnce<Value: Sendable>: Sendable {
  private let read: @Sendable () throws -> Value
  private let outcome = Mutex<Result<Value, any Error>?>(nil)

  package init(_ read: @escaping @Sendable () throws -> Value) { self.read = read }

  package var result: Result<Value, any Error> {
    outcome.withLock { outcome in
      if let outcome { return outcome }
      let result = Result { try read() }
      outcome = result
      return result
    }
  }
}
