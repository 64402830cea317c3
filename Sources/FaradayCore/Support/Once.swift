private import Synchronization

/// A value that can be taken once: a later call returns nil. Thread-safe.
package final class Once<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  package init(_ value: Value) { self.value = Mutex(value) }

  /// Returns and releases the value.
  package func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }

  /// Calls the closure with the value, under the lock, unless it was taken. Returns whether the closure was called.
  package func peek(_ use: (Value) -> Void) -> Bool {
    value.withLock { value in
      guard let value else { return false }
      use(value)
      return true
    }
  }
}
