public import FaradayCore

/// The error of a promise that has no outcome of its own: it was abandoned, or none of several promises was fulfilled.
public struct PromiseError: FaradayError {
  /// The reason of the error.
  public enum Reason: Sendable, Hashable {
    /// The resolver was released without settling the promise (a broken promise).
    case abandoned
    /// All promises failed, or there were none.
    case noneFulfilled
  }

  /// The reason of the error.
  public let reason: Reason
  /// The error of each promise, in the order of the list; empty if the list was empty, and for an abandoned promise.
  public let errors: [any Error]

  /// An error with a reason, and the errors of the promises.
  public init(_ reason: Reason, errors: [any Error] = []) {
    self.reason = reason
    self.errors = errors
  }

  /// Whether all errors are timeouts.
  public var isTimeout: Bool { !errors.isEmpty && errors.allSatisfy(\.countsAsTimeout) }
  /// Whether all errors are cancellations.
  public var isCancelled: Bool { !errors.isEmpty && errors.allSatisfy(\.countsAsCancelled) }
  /// Whether at least one error is transient.
  public var isTransient: Bool { errors.contains(where: \.countsAsTransient) }

  public var description: String {
    switch reason {
    case .abandoned: "the promise was abandoned: its resolver was released without settling it"
    case .noneFulfilled:
      "no promise was fulfilled: "
        + (errors.isEmpty ? "the list of promises is empty" : errors.map { "\($0)" }.joined(separator: "; "))
    }
  }
}
