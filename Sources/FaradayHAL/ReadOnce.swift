package import FaradayCore
private import Synchronization

/// A value that is parsed lazily from a body, once, and cached. A middleware stores it in a response whose body may never be
/// read. Thread-safe: a concurrent caller waits for the first caller.
package final class ReadOnce<Value: Sendable>: Sendable {
  private let read: @Sendable (Data) throws -> Value
  private let outcome = Mutex<Result<Value, any Error>?>(nil)

  package init(_ read: @escaping @Sendable (Data) throws -> Value) { self.read = read }

  /// - Parameter data: the body, which must be the same in all calls.
  package func result(of data: Data) -> Result<Value, any Error> {
    outcome.withLock { outcome in
      if let outcome { return outcome }
      let result = Result { try read(data) }
      outcome = result
      return result
    }
  }
}
