public import FaradayCore
internal import Synchronization

/// Promises made of several. Once they are settled, they let go of those that are not: what nobody else waits for is cancelled.
extension Promise {
  /// A promise for all the values, in the order of the list; the first error is its outcome. All of an empty list is an empty list.
  public static func all(_ promises: [Promise]) -> Promise<[Value]> {
    guard !promises.isEmpty else { return Promise<[Value]>(.success([])) }
    let values = Slots<Value>(promises.count)
    return combine(promises) { index, outcome, combined in
      switch outcome {
      case .success(let value): values.fill(index, value).flatMap { combined.begin(.success($0)) }
      case .failure(let error): combined.begin(.failure(error))
      }
    }
  }

  /// A promise with the outcome of whichever is settled first. Of an empty list it is ``NoPromiseFulfilled``.
  public static func race(_ promises: [Promise]) -> Promise {
    guard !promises.isEmpty else { return Promise(.failure(NoPromiseFulfilled(errors: []))) }
    return combine(promises) { _, outcome, combined in combined.begin(outcome) }
  }

  /// A promise for whichever value is there first; if there is none, ``NoPromiseFulfilled`` with all the errors.
  public static func any(_ promises: [Promise]) -> Promise {
    guard !promises.isEmpty else { return Promise(.failure(NoPromiseFulfilled(errors: []))) }
    let errors = Slots<any Error>(promises.count)
    return combine(promises) { index, outcome, combined in
      switch outcome {
      case .success: combined.begin(outcome)
      case .failure(let error):
        errors.fill(index, error).flatMap { combined.begin(.failure(NoPromiseFulfilled(errors: $0))) }
      }
    }
  }

  /// A promise for this value and the others; the first error is its outcome.
  public func zip<each Other: Sendable>(_ others: repeat Promise<each Other>) -> Promise<(Value, repeat each Other)> {
    let zipped = Promise<(Value, repeat each Other)>()
    // Called after each: the last to come finds them all.
    let complete: @Sendable () -> [Step]? = {
      guard let value = try? self.known(), let values = try? (repeat (each others).known()) else { return nil }
      return zipped.begin(.success((value, repeat each values)))
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
      combined.attend(promise) { outcome in react(index, outcome, combined) }
    }
    return combined
  }

  private func gather<Other>(_ other: Promise<Other>, _ complete: @escaping @Sendable () -> [Step]?) {
    attend(other) { outcome in
      switch outcome {
      case .success: complete()
      case .failure(let error): self.begin(.failure(error))
      }
    }
  }

  private func known() throws -> Value {
    guard let outcome else { throw CancellationError() }
    return try outcome.get()
  }
}

/// As many values as there are places, which come in any order.
private final class Slots<Value: Sendable>: Sendable {
  private let state: Mutex<(values: [Value?], missing: Int)>

  init(_ count: Int) { state = Mutex((Array(repeating: nil, count: count), count)) }

  /// Fills a place, once. The one that fills the last gets all.
  func fill(_ index: Int, _ value: Value) -> [Value]? {
    state.withLock { state in
      state.values[index] = value
      state.missing -= 1
      return state.missing == 0 ? state.values.compactMap(\.self) : nil
    }
  }
}

/// None of several promises came to a value.
public struct NoPromiseFulfilled: FaradayError {
  /// What each came to, in the order of the list; none if the list was empty.
  public let errors: [any Error]

  /// Whether all of them were timeouts.
  public var isTimeout: Bool { !errors.isEmpty && errors.allSatisfy(\.isTimeout) }
  /// Whether all of them were cancelled.
  public var isCancelled: Bool { !errors.isEmpty && errors.allSatisfy(\.isCancelled) }
  /// Whether one of them may succeed later.
  public var isTransient: Bool { errors.contains(where: \.isTransient) }

  public var description: String {
    errors.isEmpty
      ? "there was no promise to wait for" : "no promise was fulfilled: " + errors.map { "\($0)" }.joined(separator: "; ")
  }
}
