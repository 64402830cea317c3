internal import Synchronization

/// Combinations of promises. When the result is settled, the remaining promises are released. A released promise is cancelled
/// if no other observer waits for it.
extension Promise {
  /// Waits for all promises: their values in the order of the list, or the first error. An empty list produces an empty list.
  public static func all(_ promises: [Promise]) -> Promise<[Value]> {
    guard !promises.isEmpty else { return Promise<[Value]>(.success([])) }
    let values = Slots<Value>(promises.count)
    return combine(promises) { index, outcome, combined in
      switch outcome {
      case .success(let value): values.fill(index, value).flatMap { combined.beginSettling(.success($0)) }
      case .failure(let error): combined.beginSettling(.failure(error))
      }
    }
  }

  /// The outcome of the promise that settles first, value or error. An empty list fails with ``PromiseError``.
  public static func race(_ promises: [Promise]) -> Promise {
    guard !promises.isEmpty else { return Promise(.failure(PromiseError(.noneFulfilled, errors: []))) }
    return combine(promises) { _, outcome, combined in combined.beginSettling(outcome) }
  }

  /// The first value; if all promises fail, ``PromiseError`` with all errors.
  public static func any(_ promises: [Promise]) -> Promise {
    guard !promises.isEmpty else { return Promise(.failure(PromiseError(.noneFulfilled, errors: []))) }
    let errors = Slots<any Error>(promises.count)
    return combine(promises) { index, outcome, combined in
      switch outcome {
      case .success: combined.beginSettling(outcome)
      case .failure(let error):
        errors.fill(index, error).flatMap { combined.beginSettling(.failure(PromiseError(.noneFulfilled, errors: $0))) }
      }
    }
  }

  /// Waits for this promise and others of different types: a tuple of all values, or the first error.
  public func zip<each Other: Sendable>(_ others: repeat Promise<each Other>) -> Promise<(Value, repeat each Other)> {
    let zipped = Promise<(Value, repeat each Other)>()
    // Called after each promise fulfils. The last call finds all values.
    let complete: @Sendable () -> [Step]? = {
      guard let value = try? self.known(), let values = try? (repeat (each others).known()) else { return nil }
      return zipped.beginSettling(.success((value, repeat each values)))
    }
    zipped.gather(self, complete)
    repeat zipped.gather(each others, complete)
    return zipped
  }

  private static func combine<New>(
    _ promises: [Promise], _ react: @escaping @Sendable (Int, Outcome, Promise<New>) -> [Step]?
  ) -> Promise<New> {
    let combined = Promise<New>()
    for (index, promise) in promises.enumerated() {
      combined.observeUntilSettled(promise) { outcome in react(index, outcome, combined) }
    }
    return combined
  }

  private func gather<Other>(_ other: Promise<Other>, _ complete: @escaping @Sendable () -> [Step]?) {
    observeUntilSettled(other) { outcome in
      switch outcome {
      case .success: complete()
      case .failure(let error): self.beginSettling(.failure(error))
      }
    }
  }

  private func known() throws -> Value {
    guard let outcome else { throw CancellationError() }
    return try outcome.get()
  }
}

/// A fixed number of values that are filled in any order.
private final class Slots<Value: Sendable>: Sendable {
  private let state: Mutex<(values: [Value?], missing: Int)>

  init(_ count: Int) { state = Mutex((Array(repeating: nil, count: count), count)) }

  /// Fills a slot, once. The call that fills the last slot returns all values.
  func fill(_ index: Int, _ value: Value) -> [Value]? {
    state.withLock { state in
      state.values[index] = value
      state.missing -= 1
      return state.missing == 0 ? state.values.compactMap(\.self) : nil
    }
  }
}
