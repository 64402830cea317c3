public import FaradayCore

/// Settles a ``Promise``, once, from anywhere: the first call wins, the others are told that they came late.
public final class PromiseResolver<Value: Sendable>: Sendable {
  private let promise: Promise<Value>

  init(_ promise: Promise<Value>) { self.promise = promise }

  deinit { promise.settle(.failure(PromiseAbandoned())) }

  /// Settles the promise with the outcome; false if it is settled already.
  @discardableResult
  public func resolve(_ outcome: Result<Value, any Error>) -> Bool { promise.settle(outcome) }

  /// Settles the promise with the value; false if it is settled already.
  @discardableResult
  public func fulfill(_ value: Value) -> Bool { resolve(.success(value)) }

  /// Settles the promise with the error; false if it is settled already.
  @discardableResult
  public func reject(_ error: any Error) -> Bool { resolve(.failure(error)) }

  /// Says how to stop the work; called once if the promise is cancelled, at once if it is already. The last one said counts. The
  /// closure should not hold the resolver, or an abandoned promise is never noticed.
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

/// A promise's resolver went without having settled it.
public struct PromiseAbandoned: FaradayError, Equatable {
  public init() {}

  public var description: String { "the promise was abandoned: its resolver went without settling it" }
}
