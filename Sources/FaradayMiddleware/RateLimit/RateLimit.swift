public import FaradayCore

/// Limits the rate of requests to an origin (token bucket), and obeys the limits that the server announces.
///
///     connection.use(.rateLimit(10, per: .seconds(1), burst: 20))
///     connection.use(.rateLimit)                                      // what the server says only
///
/// - The bucket holds ``Policy/burst`` requests, and gets one more each interval divided by the rate. If it is empty, a request
///   waits in a queue: the highest ``FaradayCore/Options/priority`` first; equal priorities are first in, first out. Beyond
///   ``Policy/maximumWait`` it throws ``FaradayCore/RefusedRequestError``.
/// - These fields of the server are obeyed: `Retry-After` of a 429 or 503; `RateLimit` with `RateLimit-Policy`
///   (draft-ietf-httpapi-ratelimit-headers-10, and the dictionary of its drafts before 08); `RateLimit-Limit`, `-Remaining` and
///   `-Reset` of the drafts before 07; and `X-RateLimit-…` or `X-Rate-Limit-…`, whose reset can be in seconds, or in seconds or
///   milliseconds since 1970. Of several quotas the one with the fewest requests left counts. When none is left, nothing is
///   sent until the quota is reset.
/// - No server can stop the client for longer than ``Policy/maximumServerDelay``. A value that is not valid is ignored.
/// - Below ``Retry`` each attempt takes a token. Below a cache and ``Coalescing`` only requests that are really sent take one.
/// - The state of the 1,000 most recently used keys is kept in memory, or in a ``LimitStore``, so that several machines share
///   one rate. Each machine has its own queue.
///
/// A cancelled request leaves the queue at once and takes no token. The delivery of the body does not matter. Copies share the
/// state. Thread-safe.
public struct RateLimit: Middleware {
  private let policy: Policy
  private let key: LimitKey
  private let buckets: CountedStates<TokenBucket>
  private let line: Places
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration

  /// - Parameters:
  ///   - key: which requests share a limit: requests to one origin by default.
  ///   - store: the store of the buckets; in memory if nil. Its keys have the prefix `rate:`.
  ///   - clock: measures waits, and time in memory; tests pass a manual one.
  ///   - date: the time of buckets in a store, and of dates that servers send; the system's clock by default.
  ///   - onStoreError: called with errors of the store.
  public init(
    _ policy: Policy = Policy(), by key: LimitKey = .origin, store: (any LimitStore)? = nil,
    clock: any Clock<Duration> = .continuous, date: (@Sendable () -> Date)? = nil,
    onStoreError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.policy = policy
    self.key = key
    self.clock = clock
    elapsed = clock.stopwatch()
    line = Places(maximumWaiting: policy.maximumWaiting, clock: clock)
    let lifetime = policy.maximumServerDelay.withinClocks + TokenBucket.refillTime(policy)
    buckets = CountedStates(
      store, prefix: "rate:", lifetime: lifetime, clock: clock, date: date, onStoreError: onStoreError)
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let key = key.name(request)
    try await wait(for: request, key)
    do {
      let response = try await next(request)
      await obey(response.head, key)
      return response
    } catch {
      if let head = (error as? any FaradayError)?.response?.head { await obey(head, key) }
      throw error
    }
  }

  /// Takes a token, and waits until there is one.
  private func wait(for request: Request, _ key: String) async throws {
    if let limit = policy.maximumWait, limit <= .zero {
      // The fast path: no request waits in a queue.
      guard let wait = try await takeToken(key) else { return }
      throw Self.refused(.noWait, key, retryAfter: wait, request)
    }
    let start = elapsed()
    let position = WaitingPosition(priority: request.options.priority, number: line.number())
    // Only the request at the head of the queue takes tokens, so that the order of the queue is kept.
    var turn = try await self.turn(key, position, start, request)
    while let wait = try await takeToken(key) {
      if let limit = policy.maximumWait, wait > limit.withinClocks - (elapsed() - start) {
        throw Self.refused(.maximumWait(limit), key, retryAfter: wait, request)
      }
      // At least a millisecond with a store's time: its clock may differ from this one.
      try await clock.sleep(for: buckets.isShared ? max(wait, .milliseconds(1)) : wait)
      guard line.isPreceded(key, position) else { continue }
      turn.giveBack()
      turn = try await self.turn(key, position, start, request, isBack: true)
    }
    turn.giveBack()
  }

  private func turn(
    _ key: String, _ position: WaitingPosition, _ start: Duration, _ request: Request, isBack: Bool = false
  ) async throws -> Place {
    let rest = policy.maximumWait.map { max($0.withinClocks - (elapsed() - start), .nanoseconds(1)) }
    do {
      return try await line.take(
        key, limit: 1, priority: position.priority, number: position.number, maximumWait: rest, isBack: isBack)
    } catch let refusal as Places.Refusal {
      let reason: RefusedRequestError.Wait =
        switch refusal {
        case .full(let waiting): .queueFull(waiting: waiting)
        case .expired: .maximumWait(policy.maximumWait ?? .zero)
        }
      // Each waiting request takes one interval, after the next token.
      let ahead = TokenBucket.interval(policy) * min(line.waitingCount(key), 1_000_000)
      let first = try await buckets.update(key) { [policy] bucket, now in bucket.wait(at: now, policy) }
      throw Self.refused(reason, key, retryAfter: (first + ahead.withinClocks).withinClocks, request)
    }
  }

  private static func refused(
    _ wait: RefusedRequestError.Wait, _ key: String, retryAfter: Duration, _ request: Request
  ) -> RefusedRequestError {
    RefusedRequestError(.rateLimited(wait), key: key, retryAfter: retryAfter, request: RequestSummary(request))
  }

  /// The number of requests that wait in the queues of all keys.
  var waitingCount: Int { line.waitingCount }

  /// Takes a token and returns nil; otherwise returns the time until there may be one.
  private func takeToken(_ key: String) async throws -> Duration? {
    try await buckets.update(key) { [policy] wait in
      guard wait == nil else { return nil }
      return { bucket, _ in bucket.giveBack(policy) }
    } _: { [policy] bucket, now in
      bucket.take(at: now, policy)
    }
  }

  private func obey(_ head: HTTPResponse, _ key: String) async {
    let quota = ServerQuota(head, unixTime: buckets.unixTime)
    guard !quota.isEmpty else { return }
    await buckets.settle(key) { [policy] bucket, now in bucket.obey(quota, at: now, policy) }
  }
}

extension Middleware where Self == RateLimit {
  /// Obeys the rate limits that servers announce, without a local limit.
  public static var rateLimit: Self { Self() }

  /// Limits the requests to an origin to a number in each interval, and obeys the limits that the server announces.
  ///
  /// - Parameters:
  ///   - burst: the number that can be sent at once after a pause; the number for an interval if nil.
  ///   - maximumWait: see ``FaradayMiddleware/RateLimit/Policy/maximumWait``.
  public static func rateLimit(
    _ count: Int, per interval: Duration, burst: Int? = nil, maximumWait: Duration? = .seconds(60), by key: LimitKey = .origin,
    store: (any LimitStore)? = nil
  ) -> Self {
    Self(RateLimit.Policy(count, per: interval, burst: burst, maximumWait: maximumWait), by: key, store: store)
  }
}
