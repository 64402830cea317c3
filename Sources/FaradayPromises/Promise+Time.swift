public import FaradayCore

extension Promise {
  /// A promise with the same outcome, or ``PromiseTimedOut`` if there is none within the time. It then lets go of this one, whose
  /// work is cancelled if nobody else waits for it.
  public func timeout(_ limit: Duration, clock: any Clock<Duration> = .continuous) -> Promise {
    let limited = Promise()
    limited.attend(self) { limited.begin($0) }
    let timer = Task {
      try await clock.sleep(for: limit.withinClocks)
      limited.settle(.failure(PromiseTimedOut(limit: limit)))
    }
    limited.tell(waits: false) { _ in timer.cancel() }
    return limited
  }

  /// A promise with the same outcome, that much later.
  public func delay(_ time: Duration, clock: any Clock<Duration> = .continuous) -> Promise {
    derive { outcome, delayed in
      delayed.run {
        try await clock.sleep(for: time.withinClocks)
        return try outcome.get()
      }
      return []
    }
  }

  /// A promise for what the closure returns, which is called again after an error, so many times in all. The last error is the
  /// outcome; a `CancellationError` is at once.
  ///
  /// - Parameters:
  ///   - attempts: how often it is called at most; once at least.
  ///   - wait: the time after each error before the next attempt.
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

/// A promise had no outcome in time.
public struct PromiseTimedOut: FaradayError, Equatable {
  public let limit: Duration
  public var isTimeout: Bool { true }

  public init(limit: Duration) { self.limit = limit }

  public var description: String { "the promise was not settled within \(limit)" }
}
