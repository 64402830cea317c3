internal import FaradayCore

extension Promise {
  /// A promise with this promise's outcome, or ``FaradayCore/TimeoutError`` after the limit. A timeout releases this promise,
  /// and cancels its work if no other observer waits for it.
  public func timeout(_ limit: Duration, clock: any Clock<Duration> = .continuous) -> Promise {
    let limited = Promise(reports: reports)
    limited.observeUntilSettled(self) { limited.beginSettling($0) }
    let timer = Task {
      try await clock.sleep(for: limit.withinClocks)
      limited.settle(.failure(TimeoutError(.promise, limit: limit)))
    }
    limited.whenSettled(keepsWorkAlive: false) { _ in timer.cancel() }
    return limited
  }

  /// A promise with this promise's outcome, delayed by the time.
  public func delay(_ time: Duration, clock: any Clock<Duration> = .continuous) -> Promise {
    derive { outcome, delayed in
      delayed.run {
        try await clock.sleep(for: time.withinClocks)
        return try outcome.get()
      }
      return []
    }
  }

  /// Calls the asynchronous closure until it succeeds, at most `attempts` times. The last error is the outcome. A
  /// `CancellationError` is not retried. The delay is constant: for requests with exponential backoff and jitter use the
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
