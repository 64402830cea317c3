private import Synchronization
public import FaradayCore

/// Sends a request a second time if the first attempt has no response after a delay, and returns the first response (hedged
/// requests).
///
///     connection.use(.hedging(after: .milliseconds(200)))
///     connection.use(.hedging(afterPercentile: 0.95))
///
/// - Which requests: requests with a safe method (GET, HEAD, OPTIONS, TRACE, QUERY) and a body that can be sent again. A PUT is
///   idempotent, but the attempt that lost could take effect after a later request. ``FaradayCore/Options/isHedged`` overrides
///   this for a request: false for an expensive one, true for a POST that the server deduplicates.
/// - When: after a fixed delay, or when the request has taken longer than the given share of the last hundred requests to its
///   origin. The latency of a request is measured on its first attempt: until its head, or until another attempt has overtaken
///   it. Failures do not count.
/// - The first head wins, with any status, also as a ``FaradayCore/StatusError``. The other attempts are cancelled at
///   once, which closes their connections over HTTP/1.1. If all attempts fail, the error of the first attempt is thrown. A
///   request that fails before the delay is not sent again: use ``Retry`` above this middleware.
/// - How often: ``Policy/attempts``, within the ``RetryBudget`` that all requests share. A `Retry` can share its budget; it
///   then makes the deposits.
///
/// With all deliveries the caller sees nothing of an attempt before its head. `onHead`, `onChunk`, `onDownloadProgress` and a
/// streamed body belong to the attempt that has won. `onInformational`, `onUploadProgress`, `onRawHead` and `onTrace` are
/// called for all attempts.
///
/// It creates two tasks for each request that can be hedged. Copies share the latencies of the 1,000 most recently used
/// origins. Thread-safe.
public struct Hedging: Middleware {
  private let policy: Policy
  private let budget: RetryBudget
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let latencies = Recent()

  /// - Parameters:
  ///   - budget: limits the additional attempts of all requests together; by default each middleware has its own budget.
  ///   - clock: measures delays and latencies; tests pass a manual one.
  public init(_ policy: Policy, budget: RetryBudget = RetryBudget(), clock: any Clock<Duration> = .continuous) {
    self.policy = policy
    self.budget = budget
    self.clock = clock
    elapsed = clock.stopwatch()
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    // One deposit for each request, not for each attempt of a retry.
    if !budget.isOfRetry { budget.deposit() }
    let isUpgrade = request.options.upgrade != nil
    let mayRepeat = !isUpgrade && request.options.isHedged ?? request.method.isSafe
    guard mayRepeat, policy.attempts > 1, request.body.isReplayable else { return try await next(request) }
    let origin = LimitKey.origin.name(request)
    let start = elapsed()
    guard let delay = delay(origin) else {
      let response = try await next(request)
      remember(start, origin)
      return response
    }
    return try await withThrowingTaskGroup(of: Event.self) { group in
      // Cancels the remaining attempts and waits for them: their late responses are dropped here.
      defer { group.cancelAll() }
      group.addTask { await attempt(request, 0, next) }
      group.addTask { try await timer(delay) }
      var sent = 1
      var failures: [Int: any Error] = [:]
      while let event = try await group.next() {
        switch event {
        case .ended(_, .success(let response)):
          // Also the latency of an overtaken attempt: with the winner's latency the percentile would shrink with each overtaken
          // attempt.
          if failures[0] == nil { remember(start, origin) }
          return response.hedged(by: sent - 1)
        case .ended(_, .failure(let error as StatusError)):
          if failures[0] == nil { remember(start, origin) }
          throw error
        case .ended(let number, .failure(let error)):
          failures[number] = error
          // A failure before the delay ends the request: no further attempt has started.
          if failures.count == sent { throw failures[0] ?? error }
        case .delayIsOver:
          guard sent < policy.attempts, budget.withdraw() else { continue }
          group.addTask { [sent] in await attempt(request, sent, next) }
          sent += 1
          if sent < policy.attempts { group.addTask { try await timer(delay) } }
        }
      }
      throw failures[0] ?? CancellationError()
    }
  }

  private enum Event: Sendable {
    /// The number of the attempt, from 0.
    case ended(Int, Result<Response, any Error>)
    case delayIsOver
  }

  private func timer(_ delay: Duration) async throws -> Event {
    try await clock.sleep(for: delay.withinClocks)
    return .delayIsOver
  }

  private func attempt(_ request: Request, _ number: Int, _ next: Next) async -> Event {
    var request = request
    // A layer below that shares responses must not return the first attempt's response for this attempt.
    if number > 0 { request.options.hedge = number }
    do { return .ended(number, .success(try await next(request))) } catch { return .ended(number, .failure(error)) }
  }

  private func remember(_ start: Duration, _ origin: String) {
    if case .percentile = policy.delay { latencies.add(elapsed() - start, origin) }
  }

  /// Returns nil while there are too few latencies.
  private func delay(_ origin: String) -> Duration? {
    switch policy.delay {
    case .fixed(let delay): delay
    case .percentile(let share, let minimum):
      latencies.percentile(share, origin, of: policy.minimumSamples).map { max($0, minimum) }
    }
  }

  /// The latencies of each origin.
  private final class Recent: Sendable {
    private let latencies = Mutex(LeastRecentlyUsed<String, Latencies>(capacity: 1000))

    func add(_ latency: Duration, _ origin: String) {
      latencies.withLock { latencies in
        var own = latencies[origin] ?? Latencies()
        own.add(latency)
        latencies[origin] = own
      }
    }

    func percentile(_ share: Double, _ origin: String, of minimum: Int) -> Duration? {
      let own = latencies.withLock { $0[origin] }
      guard let own, own.count >= min(max(1, minimum), Latencies.capacity) else { return nil }
      return own.percentile(share)
    }
  }
}

extension Options {
  /// Whether ``FaradayMiddleware/Hedging`` may send the request several times concurrently. Nil, the default, allows it if the
  /// method is safe (RFC 9110, section 9.2.1).
  public var isHedged: Bool? {
    get { self[IsHedged.self] }
    set { self[IsHedged.self] = newValue }
  }

  private enum IsHedged: OptionKey { static let defaultValue: Bool? = nil }

  /// The number of the attempt: 0 for the first.
  fileprivate var hedge: Int {
    get { self[Hedge.self] }
    set { self[Hedge.self] = newValue }
  }

  private enum Hedge: OptionKey { static let defaultValue = 0 }
}

extension Response {
  /// The number of additional attempts that ``FaradayMiddleware/Hedging`` had sent when this response arrived.
  public var hedges: Int { self[Hedges.self] ?? 0 }

  fileprivate func hedged(by count: Int) -> Response {
    guard count > 0 else { return self }
    var response = self
    response[Hedges.self] = count
    return response
  }

  private enum Hedges: ResponseKey { typealias Value = Int }
}

extension Middleware where Self == Hedging {
  /// Sends a request a second time if it has no response after the delay.
  public static func hedging(after delay: Duration, budget: RetryBudget = RetryBudget()) -> Self {
    Self(Hedging.Policy(.fixed(delay)), budget: budget)
  }

  /// Sends a request a second time if it has taken longer than this share of the last requests to its origin, and at least
  /// `minimum`.
  public static func hedging(
    afterPercentile share: Double, minimum: Duration = .milliseconds(10), budget: RetryBudget = RetryBudget()
  ) -> Self {
    Self(Hedging.Policy(.percentile(share, minimum: minimum)), budget: budget)
  }
}
