private import Synchronization
public import FaradayCore

/// Sends a request a second time if the first has no answer after a delay, and takes the answer that comes first (hedged
/// requests).
///
///     connection.use(.hedging(after: .milliseconds(200)))
///     connection.use(.hedging(afterPercentile: 0.95))
///
/// - Which requests: those with a safe method (GET, HEAD, OPTIONS, TRACE) and a body that can be sent again. A PUT is idempotent, but the
///   attempt that lost could still take effect after a later request. ``FaradayCore/Options/isHedged`` decides otherwise for one: false
///   for a costly one, true for a POST that the server knows to take once.
/// - When: after a fixed delay, or when the request has taken longer than that share of the last hundred to its origin. What counts
///   is the first attempt of each: until its head, or until another attempt has overtaken it. Failures do not count.
/// - The first head wins, whatever its status, also as an ``FaradayCore/UnexpectedStatus``. The other attempts are cancelled at once,
///   which closes their connections over HTTP/1.1. A failure wins only when all attempts have failed: the first attempt's is thrown. A request that fails before the delay
///   is not sent again: that is for ``Retry``, above this one.
/// - How often: ``Policy/attempts``, while the ``RetryBudget`` allows it, which all requests share. It may be that of a
///   `Retry`, which then makes the deposits.
///
/// In all deliveries: until its head nothing of an attempt reaches the caller, and `onHead`, `onChunk`, `onDownloadProgress` and
/// a streamed body are of the attempt that has won. `onInformational`, `onUploadProgress`, `onRawHead` and `onTrace` see all of
/// them.
///
/// It creates two tasks for each request that may be hedged. Copies share the latencies, of the 1,000 origins that were used
/// last. Thread-safe.
public struct Hedging: Middleware {
  private let policy: Policy
  private let budget: RetryBudget
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let latencies = Recent()

  /// - Parameters:
  ///   - budget: limits the additional attempts of all requests together; one for each middleware unless given.
  ///   - clock: measures delays and latencies; tests pass a manual one.
  public init(_ policy: Policy, budget: RetryBudget = RetryBudget(), clock: any Clock<Duration> = .continuous) {
    self.policy = policy
    self.budget = budget
    self.clock = clock
    elapsed = clock.stopwatch()
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    // One for each request, and none for each attempt of a retry.
    if !budget.isOfRetry { budget.deposit() }
    let mayRepeat = request.options.isHedged ?? request.method.isSafe
    guard mayRepeat, policy.attempts > 1, request.body.isReplayable else { return try await next(request) }
    let origin = LimitKey.origin.name(request)
    let start = elapsed()
    guard let delay = delay(origin) else {
      let response = try await next(request)
      remember(start, origin)
      return response
    }
    return try await withThrowingTaskGroup(of: Event.self) { group in
      // Whoever is left is cancelled, and waited for: a response that comes too late is dropped here.
      defer { group.cancelAll() }
      group.addTask { await attempt(request, 0, next) }
      group.addTask { try await timer(delay) }
      var sent = 1
      var failures: [Int: any Error] = [:]
      while let event = try await group.next() {
        switch event {
        case .ended(_, .success(let response)):
          // Also of one that was overtaken: with the winner's time the percentile would shrink with each that is.
          if failures[0] == nil { remember(start, origin) }
          return response.hedged(by: sent - 1)
        case .ended(_, .failure(let error as UnexpectedStatus)):
          if failures[0] == nil { remember(start, origin) }
          throw error
        case .ended(let number, .failure(let error)):
          failures[number] = error
          // Before the delay it is nobody's second try.
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
    // A layer below that shares responses must not give this attempt that of the first.
    if number > 0 { request.options.hedge = number }
    do { return .ended(number, .success(try await next(request))) } catch { return .ended(number, .failure(error)) }
  }

  private func remember(_ start: Duration, _ origin: String) {
    if case .percentile = policy.delay { latencies.add(elapsed() - start, origin) }
  }

  /// Nil while too little is known.
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
  /// Whether ``FaradayMiddleware/Hedging`` may send the request several times at once: nil, the default, if its method is
  /// safe (RFC 9110, section 9.2.1).
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
  /// How many times ``FaradayMiddleware/Hedging`` had sent the request again when this response came.
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
  /// Sends a request a second time if it has no answer after the delay.
  public static func hedging(after delay: Duration, budget: RetryBudget = RetryBudget()) -> Self {
    Self(Hedging.Policy(.fixed(delay)), budget: budget)
  }

  /// Sends a request a second time if it has taken longer than this share of the last ones to its origin, and at least `minimum`.
  public static func hedging(
    afterPercentile share: Double, minimum: Duration = .milliseconds(10), budget: RetryBudget = RetryBudget()
  ) -> Self {
    Self(Hedging.Policy(.percentile(share, minimum: minimum)), budget: budget)
  }
}
