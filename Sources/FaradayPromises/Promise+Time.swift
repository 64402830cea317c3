public import FaradayCore

extension Promise {
  /// The same outcome, or ``PromiseTimedOut`` if it takes longer than the limit. This promise is then released, and its work
  /// cancelled if nobody else waits for it.
  public func timeout(_ limit: Duration, clock: any Clock<Duration> = .continuous) -> Promise {
    let limited = Promise()
    limited.observeUntilSettled(self) { limited.beginSettling($0) }
    let timer = Task {
      try await clock.sleep(for: limit.withinClocks)
      limited.settle(.failure(PromiseTimedOut(limit: limit)))
    }
    limited.whenSettled(keepsWorkAlive: false) { _ in timer.cancel() }
    return limited
  }

  /// The same outcome, later by this time.
  public func delay(_ time: Duration, clock: any Clock<Duration> = .continuous) -> Promise {
    derive { outcome, delayed in
      delayed.run {
        try await clock.sleep(for: time.withinClocks)
        return try outcome.get()
      }
      return []
    }
  }

  /// Calls the asynchronous closure until it succeeds, at most `attempts` times. The last error is the outcome; a
  /// `CancellationError` is not retried. The delay is constant: for exponential backoff and jitter of requests there is the
  /// `Retry` middleware.
  ///
  /// - Parameters:
  ///   - attempts: the maximum number of calls, at least one.
  ///   - wait: the delay after each error. None by default.
  public static func retry(
    _ attempts: Int, after wait: Duration = .zero, clock: any Clock<Duration> = .continuous,
    _ work: @escaping @Sendable @concurrent () async throws -> Value
  ) -> Promise {
    Promise {
      for _ in 1..<max(attempts, 1) {
        do { return try await work() } catch let error where !(error is CancellationError) {
          if wait > .zero { try await clock.sleep(for: wait.withinClocks) }
          try Task.checkCancellation()
        }
      }
      return try await work()
    }
  }
}

/// A promise was not settled within the limit of ``Promise/timeout(_:clock:)``.
public struct PromiseTimedOut: FaradayError, Equatable {
  /// The time limit.
  public let limit: Duration
  /// True.
  public var isTimeout: Bool { true }

  /// A promise that was not settled within this time.
  public init(limit: Duration) { self.limit = limit }

  public var description: String { "timed out: the promise was not settled within \(limit)" }
}
