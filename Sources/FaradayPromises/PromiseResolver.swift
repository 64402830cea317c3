/// Settles a ``Promise`` once, from any thread. The first call wins, and later calls return false.
public final class PromiseResolver<Value: Sendable>: Sendable {
  private let promise: Promise<Value>

  init(_ promise: Promise<Value>) { self.promise = promise }

  deinit { promise.settle(.failure(PromiseError(.abandoned))) }

  /// Settles the promise with an outcome. Returns false if it is settled already.
  @discardableResult
  public func resolve(_ outcome: Result<Value, any Error>) -> Bool { promise.settle(outcome) }

  /// Settles the promise with a value. Returns false if it is settled already.
  @discardableResult
  public func fulfill(_ value: Value) -> Bool { resolve(.success(value)) }

  /// Settles the promise with an error. Returns false if it is settled already.
  @discardableResult
  public func reject(_ error: any Error) -> Bool { resolve(.failure(error)) }

  /// Sets the closure that cancels the work, replacing an earlier closure. The closure is called once if the promise is
  /// cancelled, and at once if it is cancelled already. Do not capture the resolver in the closure, or an abandoned promise is
  /// never detected.
  public func onCancel(_ cancelWork: @escaping @Sendable () -> Void) {
    promise.onCancel {
      cancelWork()
      return []
    }
  }
}

extension PromiseResolver<Void> {
  /// Settles the promise. Returns false if it is settled already.
  @discardableResult
  public func fulfill() -> Bool { fulfill(()) }
}
