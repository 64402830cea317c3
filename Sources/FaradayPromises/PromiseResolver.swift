public import FaradayCore

/// Settles a ``Promise``, once, from any thread: the first call wins, later ones return false.
public final class PromiseResolver<Value: Sendable>: Sendable {
  private let promise: Promise<Value>

  init(_ promise: Promise<Value>) { self.promise = promise }

  deinit { promise.settle(.failure(PromiseAbandoned())) }

  /// Settles the promise with an outcome; false if it is settled already.
  @discardableResult
  public func resolve(_ outcome: Result<Value, any Error>) -> Bool { promise.settle(outcome) }

  /// Settles the promise with a value; false if it is settled already.
  @discardableResult
  public func fulfill(_ value: Value) -> Bool { resolve(.success(value)) }

  /// Settles the promise with an error; false if it is settled already.
  @discardableResult
  public func reject(_ error: any Error) -> Bool { resolve(.failure(error)) }

  /// Sets the closure that cancels the work, replacing an earlier one. Called once if the promise is cancelled, at once if it
  /// is already. Do not capture the resolver in it, or an abandoned promise is never detected.
  public func onCancel(_ cancelWork: @escaping @Sendable () -> Void) {
    promise.onCancel {
      cancelWork()
      return []
    }
  }
}

extension PromiseResolver<Void> {
  /// Settles the promise; false if it is settled already.
  @discardableResult
  public func fulfill() -> Bool { fulfill(()) }
}

/// A promise was never settled: its resolver was released before (a broken promise).
public struct PromiseAbandoned: FaradayError, Equatable {
  /// A broken promise.
  public init() {}

  public var description: String { "the promise was abandoned: its resolver was released without settling it" }
}
