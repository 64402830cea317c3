package import FaradayCore
private import Synchronization

/// A value that is read out of a body with the first look at it, once: what a middleware leaves in a response whose body may never be
/// looked at, and may not even have come. A second thread that looks meanwhile waits.
package final class ReadOnce<Value: Sendable>: Sendable {
  private let read: @Sendable (Data) throws -> Value
  private let outcome = Mutex<Result<Value, any Error>?>(nil)

  package init(_ read: @escaping @Sendable (Data) throws -> Value) { self.read = read }

  /// - Parameter data: the body, which is the same whoever asks.
  package func result(of data: Data) -> Result<Value, any Error> {
    outcome.withLock { outcome in
      if let outcome { return outcome }
      let result = Result { try read(data) }
      outcome = result
      return result
    }
  }
}
