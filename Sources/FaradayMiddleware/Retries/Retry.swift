public import FaradayCore

/// Sends a request again that failed for the moment: after an error of the transport or a status that says so, after a while.
///
/// - Which: GET, HEAD, PUT, DELETE, OPTIONS and TRACE; others if the request says so (``FaradayCore/Options/isRetryable``), and
///   these then get an `Idempotency-Key`, the same over all attempts. Any method if there was no connection: nothing of the
///   request was sent. Not a body that can be read once only.
/// - After what: ``Policy/errors`` and ``Policy/statuses``, unless ``Policy/shouldRetry`` knows better. Never after a
///   `CancellationError`.
/// - When: at a random time within a span that doubles from ``Policy/initialDelay`` up to ``Policy/maxDelay``, or after
///   ``Policy/backoff``. `Retry-After` in seconds or as a date is waited for at least; one that is no date and no number is ignored,
///   and one over ``Policy/maxRetryAfter`` ends the retries.
/// - How often: ``Policy/retries``, as long as the ``RetryBudget`` has something left, which all copies share.
///
/// Where the caller gets the response whole (``FaradayCore/Options/deliversWhole``), the body is collected here, and a request whose
/// response breaks off in it is retried. A response that is streamed, or goes to callbacks, is the caller's from its head on, and an
/// error of its body is not retried. Callbacks see the attempt that counts; but the 1xx heads of each reach
/// ``FaradayCore/Options/onInformational``, as it cannot be known yet what follows them. What comes in the end is the last response or error. ``FaradayCore/Response/retries`` says how many
/// retries there were.
public struct Retry: Middleware {
  private let policy: Policy
  private let budget: RetryBudget
  private let clock: any Clock<Duration>
  private let random: @Sendable () -> Double
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - budget: what limits the retries of all requests together; one for each middleware unless given.
  ///   - clock: what the waits are slept on; tests give one of their own.
  ///   - random: from 0 to 1.
  ///   - now: seconds since 1970, for dates in `Retry-After`; the system's if nil.
  public init(
    _ policy: Policy = Policy(), budget: RetryBudget = RetryBudget(), clock: any Clock<Duration> = .continuous,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    now: (@Sendable () -> Int64)? = nil
  ) {
    self.policy = policy
    self.budget = budget
    self.clock = clock
    self.random = random
    self.now = now ?? { Int64(Date.now.timeIntervalSince1970) }
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    budget.deposit()
    guard policy.retries > 0, request.body.isReplayable, request.options.isRetryable != false else {
      return try await next(request)
    }
    let mayRepeat = request.options.isRetryable ?? request.method.isIdempotent
    let request = mayRepeat ? withKey(request) : request
    var number = 1
    while true {
      let retry: (failed: Attempt, wait: Duration)
      do {
        let response = try await next(request)
        let attempt = attempt(number, of: request, head: response.head)
        guard mayRepeat, mayFollow(attempt), let wait = wait(after: attempt) else {
          // What breaks off is sent again as well, where the caller is to get it whole.
          let isWhole = request.options.deliversWhole && number <= policy.retries
          return try await (isWhole ? response.collected(for: request) : response).withRetries(number - 1)
        }
        await response.body.discard()
        retry = (attempt, wait)
      } catch {
        let failure = error as? TransportError
        let attempt = attempt(number, of: request, head: failure?.partialResponse?.head, error: error)
        guard mayRepeat || failure?.wasNeverSent == true, mayFollow(attempt), let wait = wait(after: attempt) else { throw error }
        retry = (attempt, wait)
      }
      await policy.onRetry?(retry.failed, retry.wait)
      try await clock.sleep(for: retry.wait)
      number += 1
    }
  }

  private func withKey(_ request: Request) -> Request {
    guard !request.method.isIdempotent, request.headers[.idempotencyKey] == nil else { return request }
    var request = request
    request.headers[.idempotencyKey] = UUID().uuidString
    return request
  }

  private func attempt(
    _ number: Int, of request: Request, head: HTTPResponse?, error: (any Error)? = nil
  ) -> Attempt {
    Attempt(
      request: request, number: number, head: head, error: error,
      retryAfter: head?.headerFields[values: .retryAfter].compactMap(retryAfter).max())
  }

  /// Whether the policy wants another attempt after this one.
  private func mayFollow(_ attempt: Attempt) -> Bool {
    guard attempt.number <= policy.retries, !(attempt.error is CancellationError) else { return false }
    if let decided = policy.shouldRetry?(attempt) { return decided }
    guard let error = attempt.error else { return attempt.head.map { policy.statuses.contains($0.status.code) } ?? false }
    return (error as? TransportError).map { policy.errors.contains($0.code) } ?? false
  }

  /// How long to wait before the next attempt; nil if the server or the budget is against one.
  private func wait(after attempt: Attempt) -> Duration? {
    if let asked = attempt.retryAfter, asked > policy.maxRetryAfter { return nil }
    let wait = policy.backoff?(attempt) ?? jitter(after: attempt)
    return budget.withdraw() ? max(wait, attempt.retryAfter ?? .zero).withinClocks : nil
  }

  private func jitter(after attempt: Attempt) -> Duration {
    var span = max(.zero, min(policy.initialDelay, policy.maxDelay))
    for _ in 1..<attempt.number where span < policy.maxDelay { span = min(span * 2, policy.maxDelay) }
    let wait = span * random()
    // Spread over a while, as all who were told the same come back at the same time.
    return attempt.retryAfter.map { $0 + min(wait, policy.initialDelay) } ?? wait
  }

  private func retryAfter(_ text: String) -> Duration? {
    // Some adapters join several fields by commas; of several the longest counts.
    let numbers = text.split(separator: ",").map { $0.trimming() }
    if !numbers.isEmpty, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) {
      // Too many digits for a number are a very long time.
      return .seconds(numbers.map { min(Int64($0) ?? .max, 1 << 40) }.max() ?? 0)
    }
    return HTTPDate.parse(text).map { .seconds(max(0, Int64($0.timeIntervalSince1970) - now())) }
  }
}

extension TransportError {
  /// Whether it failed before there was a connection that anything could be sent over.
  fileprivate var wasNeverSent: Bool {
    [.resolving, .connecting, .tls].contains(phase)
  }
}

extension Options {
  /// Whether the request may be sent twice though it failed: nil if its method says so. True for a POST sends it with an
  /// `Idempotency-Key`, which the server has to know.
  public var isRetryable: Bool? {
    get { self[IsRetryable.self] }
    set { self[IsRetryable.self] = newValue }
  }

  private enum IsRetryable: OptionKey { static let defaultValue: Bool? = nil }
}

extension Response {
  /// How often the request was sent again before this response.
  public var retries: Int { self[Retries.self] ?? 0 }

  fileprivate func withRetries(_ count: Int) -> Response {
    guard count > 0 else { return self }
    var response = self
    response[Retries.self] = count
    return response
  }

  private enum Retries: ResponseKey { typealias Value = Int }
}

extension Middleware where Self == Retry {
  /// Sends a request again that failed for the moment, by the default policy.
  public static var retry: Self { Self() }

  /// Sends a request again that failed for the moment, at most so many times: `.retry(retries: 5)`.
  public static func retry(
    retries: Int, initialDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(20),
    budget: RetryBudget = RetryBudget()
  ) -> Self {
    Self(Retry.Policy(retries: retries, initialDelay: initialDelay, maxDelay: maxDelay), budget: budget)
  }

  /// Sends a request again that failed for the moment, by this policy.
  public static func retry(_ policy: Retry.Policy, budget: RetryBudget = RetryBudget()) -> Self { Self(policy, budget: budget) }
}
