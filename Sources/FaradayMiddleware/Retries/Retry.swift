@_spi(Adapters) public import FaradayCore

/// Retries requests that fail with a transient error or status, with exponential backoff and jitter.
///
/// - Which requests: requests with an idempotent method, that is GET, HEAD, PUT, DELETE, OPTIONS, TRACE and QUERY. Other requests are
///   retried if ``FaradayCore/Options/isRetryable`` is true. They get an `Idempotency-Key` header with one value for all
///   attempts, unless ``Policy/sendsIdempotencyKey`` is false. A request with any method is retried if nothing of it was
///   sent, because no connection was established; with ``Redirects`` below, no request before a redirect either. A body that can
///   be read only once is never sent again.
/// - After what: ``Policy/errors`` and ``Policy/statuses``, unless ``Policy/shouldRetry`` decides otherwise. The status of an
///   error with a response counts as well, so that ``StatusValidation`` can be below. Never after a `CancellationError`.
/// - When: after a random delay (full jitter) of at most ``Policy/initialDelay``, an upper bound that doubles with each retry
///   up to ``Policy/maximumDelay``; or after ``Policy/backoff``. `Retry-After`, in seconds or as a date, is the minimum. An invalid
///   `Retry-After` is ignored, and one above ``Policy/maximumRetryAfter`` ends the retries.
/// - How often: ``Policy/retries`` per request, two by default, within the ``RetryBudget`` that all requests share. A retry
///   that the budget rejects is reported: by ``FaradayCore/Response/isRetryRefused``, by the descriptions of
///   ``FaradayCore/TransportError`` and ``FaradayCore/StatusError``, and to ``Policy/onBudgetExhausted``.
///
/// A response that is delivered whole (`options.deliversWhole`) is collected here, and the request is retried if
/// the body breaks off. A response that is streamed or goes to callbacks belongs to the caller from its head on, and an error
/// of its body is not retried. Callbacks are called for the last attempt only; but the 1xx heads of each attempt reach
/// ``FaradayCore/Options/onInformational``, because the final status is not known yet. The last response or error is the
/// result. ``FaradayCore/Response/retries`` is the number of retries.
public struct Retry: Middleware {
  private let policy: Policy
  private let budget: RetryBudget
  private let clock: any Clock<Duration>
  private let random: @Sendable () -> Double
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - budget: limits the retries of all requests together; by default each middleware has its own budget.
  ///   - clock: measures the delays; tests pass a manual one.
  ///   - random: the jitter, from 0 to 1.
  ///   - now: seconds since 1970, for dates in `Retry-After`; the system's clock by default.
  public init(
    _ policy: Policy = Policy(), budget: RetryBudget = RetryBudget(), clock: any Clock<Duration> = .continuous,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    now: (@Sendable () -> Int64)? = nil
  ) {
    self.policy = policy
    self.budget = budget
    budget.becomeOfRetry()
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
    let sent = mayRepeat ? nil : SentRequest()
    let request = sent.map(request.recorded) ?? withKey(request)
    let outcome: Result<Response, any Error>
    do { outcome = .success(try await next(request)) } catch { outcome = .failure(error) }
    return try await settle(outcome, of: request, recordedIn: sent, next)
  }

  /// Retries until there is a result. Not inlined: it would enlarge the frame of `handle`, which every waiting request has.
  ///
  /// - Parameter sent: records a request that is retried only as long as no server may have received it; nil for others.
  @inline(never)
  private func settle(
    _ first: Result<Response, any Error>, of request: Request, recordedIn sent: SentRequest?, _ next: Next
  ) async throws -> Response {
    var request = request
    var outcome = first
    var number = 1
    while true {
      let retry: (failed: Attempt, wait: Duration)
      do {
        let response = try outcome.get()
        switch sent == nil ? plan(number, of: request, after: outcome) : .end {
        case .retry(let failed, let wait):
          request.options.retriedResponses.note?(response, &request)
          await response.body.discard()
          retry = (failed, wait)
        case .refused(let failed):
          await policy.onBudgetExhausted?(failed)
          return response.withRetries(number - 1, isRefused: true)
        case .end:
          // If the caller gets the body whole, an attempt is also retried when its body breaks off.
          let isWhole = request.options.deliversWhole && number <= policy.retries
          return try await (isWhole ? response.collected(for: request) : response).withRetries(number - 1)
        }
      } catch {
        let mayRepeat = sent.map { !$0.mayHaveArrived && (error as? TransportError)?.isBeforeSending == true } ?? true
        switch mayRepeat ? plan(number, of: request, after: .failure(error)) : .end {
        case .retry(let failed, let wait):
          if let response = (error as? any FaradayError)?.response { request.options.retriedResponses.note?(response, &request) }
          await (error as? StatusError)?.response.body.discard()
          retry = (failed, wait)
        case .refused(let failed):
          await policy.onBudgetExhausted?(failed)
          throw error.refusingRetry
        case .end: throw error
        }
      }
      await policy.onRetry?(retry.failed, retry.wait)
      do { try await clock.sleep(for: retry.wait) } catch {
        budget.refund()
        throw error
      }
      number += 1
      do { outcome = .success(try await next(request)) } catch { outcome = .failure(error) }
    }
  }

  private func withKey(_ request: Request) -> Request {
    guard policy.sendsIdempotencyKey, !request.method.isIdempotent, request.headers[.idempotencyKey] == nil else {
      return request
    }
    var request = request
    request.headers[.idempotencyKey] = UUID().uuidString
    return request
  }

  /// The step after an attempt.
  private enum Plan {
    /// Another attempt, after a delay.
    case retry(failed: Attempt, wait: Duration)
    /// The budget rejects another attempt, which the policy allows.
    case refused(Attempt)
    case end
  }

  private func plan(_ number: Int, of request: Request, after outcome: Result<Response, any Error>) -> Plan {
    let attempt: Attempt
    switch outcome {
    case .success(let response):
      // Without an `Attempt` for most responses. A new condition must be in this test and in `mayFollow`.
      guard policy.shouldRetry != nil || policy.statuses.contains(response.status.code) else { return .end }
      attempt = self.attempt(number, of: request, head: response.head)
    case .failure(let error):
      attempt = self.attempt(number, of: request, head: (error as? any FaradayError)?.response?.head, error: error)
    }
    guard mayFollow(attempt), let wait = wait(after: attempt) else { return .end }
    return budget.withdraw() ? .retry(failed: attempt, wait: wait) : .refused(attempt)
  }

  private func attempt(
    _ number: Int, of request: Request, head: HTTPResponse?, error: (any Error)? = nil
  ) -> Attempt {
    Attempt(
      request: request, number: number, head: head, error: error,
      retryAfter: head?.headerFields.retryAfter(now: now) ?? (error as? RefusedRequestError)?.retryAfter)
  }

  /// Whether the policy allows another attempt.
  private func mayFollow(_ attempt: Attempt) -> Bool {
    guard attempt.number <= policy.retries, !(attempt.error is CancellationError) else { return false }
    if let decided = policy.shouldRetry?(attempt) { return decided }
    if let error = attempt.error as? TransportError { return policy.errors.contains(error.code) }
    // Includes a response that a layer below converted to an error.
    return attempt.head.map { policy.statuses.contains($0.status.code) } ?? false
  }

  /// Returns the delay before the next attempt; nil if `Retry-After` is too long.
  private func wait(after attempt: Attempt) -> Duration? {
    let retryAfter = attempt.retryAfter
    if let retryAfter, retryAfter > policy.maximumRetryAfter { return nil }
    if let wait = policy.backoff?(attempt) { return max(wait, retryAfter ?? .zero).withinClocks }
    return Backoff(initial: policy.initialDelay, maximum: policy.maximumDelay).delay(
      beforeRetry: attempt.number, random: random(), retryAfter: retryAfter)
  }
}

extension Options {
  /// Whether the request may be retried. Nil, the default, allows it if the method is idempotent. With true, a POST is retried
  /// and sent with an `Idempotency-Key`, which the server must support. With false, nothing is retried.
  public var isRetryable: Bool? {
    get { self[IsRetryable.self] }
    set { self[IsRetryable.self] = newValue }
  }

  private enum IsRetryable: OptionKey { static let defaultValue: Bool? = nil }
}

extension Response {
  /// The number of retries before this response.
  public var retries: Int { self[Retries.self] ?? 0 }

  fileprivate func withRetries(_ count: Int, isRefused: Bool = false) -> Response {
    guard count > 0 || isRefused else { return self }
    var response = self
    response[Retries.self] = count
    response.isRetryRefused = isRefused
    return response
  }

  private enum Retries: ResponseKey { typealias Value = Int }
}

extension Middleware where Self == Retry {
  /// Retries requests that fail with a transient error or status, by the default policy.
  public static var retry: Self { Self() }

  /// Retries requests that fail with a transient error or status, with a maximum of `retries` for each request:
  /// `.retry(retries: 5)`.
  public static func retry(
    retries: Int, initialDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(20),
    budget: RetryBudget = RetryBudget()
  ) -> Self {
    Self(Retry.Policy(retries: retries, initialDelay: initialDelay, maximumDelay: maximumDelay), budget: budget)
  }

  /// Retries requests that fail with a transient error or status, by this policy.
  public static func retry(_ policy: Retry.Policy, budget: RetryBudget = RetryBudget()) -> Self { Self(policy, budget: budget) }
}
