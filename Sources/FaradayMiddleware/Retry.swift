public import FaradayCore
private import Synchronization
#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Sends a request again that failed for the moment: after an error of the transport or a status that says so, after a while.
///
/// - Which: GET, HEAD, PUT, DELETE, OPTIONS and TRACE; others if the request says so (``FaradayCore/Options/isRetryable``), and
///   these then get an `Idempotency-Key`, the same over all attempts. Not a body that can be read once only, and not a request
///   whose callbacks have seen something of the response already. A streamed body that fails later is the caller's.
/// - When: at a random time within a span that doubles from ``Policy/base`` up to ``Policy/longest``. `Retry-After` in
///   seconds or as a date is waited for at least; one that is no date and no number is ignored, and one over
///   ``Policy/longestRetryAfter`` ends the retries.
/// - How often: ``Policy/retries``, as long as the ``RetryBudget`` has something left, which all copies share.
///
/// Callbacks see the attempt that counts; but the 1xx heads of each reach ``FaradayCore/Options/onInformational``, as it cannot be
/// known yet what follows them. What comes in the end is the last response or error. ``FaradayCore/Response/retries`` says how many
/// retries there were.
public struct Retry: Middleware {
  /// What is retried, how often and when.
  public struct Policy: Sendable {
    /// How often a request is sent again at most.
    public var retries = 2
    /// The statuses that pass: 408, 429, 502, 503, 504.
    public var statuses: Set<Int> = [408, 429, 502, 503, 504]
    /// The errors that pass: a server that is not reached, or a connection that breaks.
    public var errors: Set<TransportError.Code> = [
      .nameNotFound, .connectionFailed, .connectTimeout, .connectionClosed, .sendFailed, .receiveFailed, .truncatedResponse,
      .idleTimeout, .http2Error,
    ]
    /// The first wait is up to this long.
    public var base = Duration.milliseconds(500)
    /// No wait that is ours to choose is longer.
    public var longest = Duration.seconds(20)
    /// A server that wants to be left alone for longer is: its response is the last one.
    public var longestRetryAfter = Duration.seconds(60)

    public init() {}
  }

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
    guard policy.retries > 0, mayRetry(request) else { return try await next(request) }
    let request = withKey(request)
    var attempt = 0
    while true {
      // The decision is made at the head, once, as the budget pays for it.
      let wait = Mutex<Duration?>(nil)
      do {
        let sent = try await Withholding.attempt(request, next: next) { [attempt] head in
          guard policy.statuses.contains(head.status.code), let chosen = self.wait(after: head, attempt: attempt) else {
            return false
          }
          wait.withLock { $0 = chosen }
          return true
        }
        guard sent.isWithheld else { return sent.response.withRetries(attempt) }
        await sent.drain()
      } catch {
        guard let failure = error.error as? TransportError, policy.errors.contains(failure.code), !error.wasSeen,
          let chosen = wait.withLock({ $0 }) ?? self.wait(after: failure.head, attempt: attempt)
        else { throw error.error }
        wait.withLock { $0 = chosen }
      }
      try await clock.sleep(for: wait.withLock { $0 ?? .zero })
      attempt += 1
    }
  }

  private func mayRetry(_ request: Request) -> Bool {
    guard request.body.isReplayable else { return false }
    return request.options.isRetryable ?? Self.idempotent.contains(request.method)
  }

  /// RFC 9110, section 9.2.2.
  private static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .put, .delete, .options, .trace]

  private func withKey(_ request: Request) -> Request {
    guard !Self.idempotent.contains(request.method), let name = HTTPField.Name("Idempotency-Key"), request.headers[name] == nil
    else { return request }
    var request = request
    request.headers[name] = UUID().uuidString
    return request
  }

  /// How long to wait before the next attempt; nil if there is none.
  private func wait(after head: HTTPResponse?, attempt: Int) -> Duration? {
    guard attempt < policy.retries else { return nil }
    var span = min(policy.base, policy.longest)
    for _ in 0..<attempt where span < policy.longest { span = min(span * 2, policy.longest) }
    var wait = span * random()
    if let asked = head?.headerFields[values: .retryAfter].compactMap(retryAfter).max() {
      guard asked <= policy.longestRetryAfter else { return nil }
      // Spread over a while, as all who were told the same come back at the same time.
      wait = asked + min(wait, policy.base)
    }
    return budget.withdraw() ? wait : nil
  }

  private func retryAfter(_ text: String) -> Duration? {
    // Some adapters join several fields by commas; of several the longest counts.
    let numbers = text.split(separator: ",").map { $0.trimming() }
    if !numbers.isEmpty, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) {
      // Too many digits for a number are a very long time.
      return .seconds(numbers.map { min(Int64($0) ?? .max, 1 << 40) }.max() ?? 0)
    }
    return HTTPDate.parse(text).map { .seconds(max(0, Int64($0.timeIntervalSince1970) - now())) }
  }
}

/// What all retries of a connection share: each request pays a part of one in, so that a server that is down does not get many
/// times the requests that it could not answer before.
///
/// For any thread.
public final class RetryBudget: Sendable {
  private let ratio: Double
  private let reserve: Double
  private let balance: Mutex<Double>

  /// - Parameters:
  ///   - ratio: how many retries each request pays for.
  ///   - reserve: how many there are to begin with, and at most.
  public init(ratio: Double = 0.2, reserve: Double = 10) {
    self.ratio = ratio
    self.reserve = reserve
    balance = Mutex(reserve)
  }

  func deposit() { balance.withLock { $0 = min(reserve, $0 + ratio) } }

  func withdraw() -> Bool {
    balance.withLock { balance in
      guard balance >= 1 else { return false }
      balance -= 1
      return true
    }
  }
}

extension TransportError {
  /// What had arrived of a response that broke off.
  fileprivate var head: HTTPResponse? {
    partialResponse.map { HTTPResponse(status: $0.status, headerFields: $0.headers) }
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
  /// Sends a request again that failed for the moment.
  public static var retry: Self { Self() }

  /// Sends a request again that failed for the moment.
  public static func retry(_ policy: Retry.Policy, budget: RetryBudget = RetryBudget()) -> Self { Self(policy, budget: budget) }
}
