public import FaradayCore

/// Stops sending requests to a failing origin, and sends a few probes to detect when it works again (circuit breaker).
///
///     connection.use(.retry)
///     connection.use(.circuitBreaker)
///
/// The circuit of an origin is *closed* at first, and counts failures within ``Policy/window``. When ``Policy/failures``
/// requests have failed, and they are at least the share ``Policy/ratio`` of all requests, it *opens*: by default with ten
/// failures that are half of all requests within ten seconds. Requests throw ``FaradayCore/RefusedRequestError`` at once,
/// without being sent. After ``Policy/delay`` it is *half-open*: ``Policy/probes`` requests are admitted, and the others are
/// still rejected. When all probes have succeeded it is closed again; when one fails it opens again, for longer.
///
/// - A failure is a status of ``Policy/statuses``, a failed or broken connection, or a timeout; ``Policy/isFailure`` can
///   override this. Any other error of a layer below counts as neither failure nor success. A body that breaks off after a
///   successful head is a failure too. A probe succeeds with its head, because its body may be endless. If that body breaks off
///   later, it counts as the first failure of the closed circuit; with several probes in flight it opens the circuit again.
/// - A cancelled request does not count, and another probe takes the place of a cancelled probe. An outer ``Timeout`` cancels,
///   so the breaker does not count it: use ``FaradayCore/Timeouts``, or put the `Timeout` below.
/// - A request that was not sent does not count: a cache below returned the response, or the request shares an exchange
///   (``Coalescing``). One exchange counts once, at any position of the breaker.
/// - Below ``Retry`` each attempt counts. `Retry` does not retry the ``FaradayCore/RefusedRequestError``.
/// - The state of the 1,000 most recently used keys is kept in memory, or in a ``LimitStore`` for several machines together.
///
/// The delivery of the body does not matter. Copies share the state. Thread-safe; without a store the cost is a lock before and
/// after each request.
public struct CircuitBreaker: Middleware {
  private let policy: Policy
  private let key: LimitKey
  private let circuits: CountedStates<Circuit>
  private let random: @Sendable () -> Double

  /// - Parameters:
  ///   - key: which requests share a circuit: requests to one origin by default.
  ///   - store: the store of the circuits; in memory if nil. Its keys have the prefix `circuit:`.
  ///   - clock: measures time in memory; tests pass a manual one.
  ///   - random: the jitter of ``Policy/delay``, from 0 to 1.
  ///   - date: the time of circuits in a store; the system's clock by default.
  ///   - onStoreError: called with errors of the store.
  public init(
    _ policy: Policy = Policy(), by key: LimitKey = .origin, store: (any LimitStore)? = nil,
    clock: any Clock<Duration> = .continuous, random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    date: (@Sendable () -> Date)? = nil, onStoreError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.policy = policy
    self.key = key
    self.random = random
    let lifetime = policy.window.withinClocks + policy.maximumDelay.withinClocks * 2 + policy.probeLifetime.withinClocks
    circuits = CountedStates(
      store, prefix: "circuit:", lifetime: lifetime, clock: clock, date: date, onStoreError: onStoreError)
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let key = key.name(request)
    let ticket: Circuit.Ticket
    switch try await admission(key) {
    case .admitted(let given): ticket = given
    case .refused(let retryAfter, let reason):
      throw RefusedRequestError(
        .circuitOpen(cause: reason), key: key, retryAfter: retryAfter, request: RequestSummary(request))
    }
    let sent = SentRequest()
    do {
      var response = try await next(request.recorded(in: sent))
      let outcome = outcome(of: .success(response), wasSent: sent.wasSent)
      await settle(outcome, of: ticket, key)
      if outcome == .success, response.body.isStreamed {
        response.body = response.body.onEnd { [self] end in
          guard case .failed(let error) = end, case .failure(let cause) = self.outcome(of: .failure(error), wasSent: true)
          else { return }
          circuits.record(key, change(.failure(cause), of: ticket.afterHead))
        }
      }
      return response
    } catch {
      await settle(outcome(of: .failure(error), wasSent: sent.wasSent), of: ticket, key)
      throw error
    }
  }

  private func admission(_ key: String) async throws -> Circuit.Admission {
    try await circuits.update(key) { [policy, random] lost in
      guard case .admitted(let ticket) = lost, ticket.probe != nil else { return nil }
      return { circuit, now in circuit.record(.none, of: ticket, at: now, policy, random) }
    } _: { [policy] circuit, now in
      circuit.admit(at: now, policy)
    }
  }

  private func settle(_ outcome: Circuit.Outcome, of ticket: Circuit.Ticket, _ key: String) async {
    await circuits.settle(key, change(outcome, of: ticket))
  }

  private func change(_ outcome: Circuit.Outcome, of ticket: Circuit.Ticket) -> @Sendable (inout Circuit, Duration) -> Void {
    { [policy, random] circuit, now in circuit.record(outcome, of: ticket, at: now, policy, random) }
  }

  private func outcome(of result: Result<Response, any Error>, wasSent: Bool) -> Circuit.Outcome {
    if case .failure(let error) = result, error.countsAsCancelled { return .none }
    let cause: String
    var counts: Bool
    switch result {
    case .success(let response):
      cause = "\(response.status.code)"
      counts = policy.statuses.contains(response.status.code)
    case .failure(let error):
      let failure = error as? TransportError
      let status = failure == nil ? (error as? any FaradayError)?.response?.status.code : nil
      cause = status.map { "\($0)" } ?? failure?.code.rawValue ?? (error.countsAsTimeout ? "timeout" : "error")
      counts =
        failure.map { policy.errors.contains($0.code) } ?? status.map { policy.statuses.contains($0) } ?? error.countsAsTimeout
    }
    let decided = policy.isFailure?(result)
    guard wasSent || decided == true else { return .none }
    if let decided { counts = decided }
    if counts { return .failure(cause) }
    if case .failure = result { return .none }
    return .success
  }
}

extension Middleware where Self == CircuitBreaker {
  /// Stops sending requests to a failing origin: a circuit breaker with the default policy.
  public static var circuitBreaker: Self { Self() }

  /// Stops sending requests to a failing origin.
  public static func circuitBreaker(
    _ policy: CircuitBreaker.Policy, by key: LimitKey = .origin, store: (any LimitStore)? = nil
  ) -> Self {
    Self(policy, by: key, store: store)
  }
}
