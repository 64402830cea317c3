public import FaradayCore

/// Limits the number of requests in flight: to an origin, or for each tag (bulkhead). Further requests wait, by priority.
///
///     connection.use(.concurrencyLimit(8))
///     connection.use(.concurrencyLimit(2, by: .tags))
///     connection.use(.concurrencyLimit(adaptive: .init()))
///
/// A request holds its place until its body has been read to the end, has failed, or was dropped, in any delivery. A streamed
/// response that is kept and not read keeps its place. Waiting requests get places by ``FaradayCore/Options/priority``, the
/// highest first; equal priorities are first in, first out. A cancelled request leaves the queue at once. Beyond
/// ``maximumWait`` or ``maximumWaiting`` requests throw ``FaradayCore/RefusedRequestError``.
///
/// The number of places is fixed, or adapted to the latency of the responses (``Adaptive``). Below ``Retry`` each attempt takes
/// a place, above it one place is held for all attempts and the delays between them. A middleware below this one that makes
/// extra requests needs two places, and so does a caller that reads one streamed response while it makes another request: a
/// limit of 1 can block them for ever.
///
/// A key that no request uses needs no memory; the 1,000 most recently used adaptive limits are kept. Copies share the places.
/// Thread-safe.
public struct ConcurrencyLimit: Middleware {
  /// The maximum time that a request waits for a place. Nil, the default, means no limit; zero means that it does not wait.
  public let maximumWait: Duration?
  /// The maximum number of requests that wait for one key. 10,000 by default.
  public let maximumWaiting: Int
  private let limit: Int
  private let key: LimitKey
  private let places: Places
  private let adaptation: Adaptation?

  /// A fixed limit.
  ///
  /// - Parameters:
  ///   - limit: the number of requests in flight for each key, at least 1.
  ///   - key: which requests share the limit: requests to one origin by default.
  ///   - clock: measures the maximum wait; tests pass a manual one.
  public init(
    _ limit: Int, by key: LimitKey = .origin, maximumWait: Duration? = nil, maximumWaiting: Int = 10_000,
    clock: any Clock<Duration> = .continuous
  ) {
    self.init(limit, key, maximumWait, maximumWaiting, clock, adaptation: nil)
  }

  /// Creates a limit that adapts to the latency, and starts at ``Adaptive/initial``.
  ///
  /// - Parameter clock: measures the latency too.
  public init(
    adaptive: Adaptive, by key: LimitKey = .origin, maximumWait: Duration? = nil, maximumWaiting: Int = 10_000,
    clock: any Clock<Duration> = .continuous
  ) {
    let adaptive = adaptive.checked
    self.init(
      adaptive.initial, key, maximumWait, maximumWaiting, clock, adaptation: Adaptation(adaptive, clock: clock))
  }

  private init(
    _ limit: Int, _ key: LimitKey, _ maximumWait: Duration?, _ maximumWaiting: Int, _ clock: any Clock<Duration>,
    adaptation: Adaptation?
  ) {
    self.limit = max(1, limit)
    self.key = key
    self.maximumWait = maximumWait
    self.maximumWaiting = max(0, maximumWaiting)
    self.adaptation = adaptation
    places = Places(maximumWaiting: self.maximumWaiting, clock: clock)
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let key = key.name(request)
    let place = try await place(for: request, key)
    let sent = adaptation.map { (request: SentRequest(), start: $0.elapsed()) }
    do {
      var response = try await next(sent.map { request.recorded(in: $0.request) } ?? request)
      if let sent { adapt(key, to: sent, isOverloaded: Adaptive.overload.contains(response.status.code)) }
      // The closure keeps the place until the body ends, fails or is dropped.
      response.body = response.body.onEnd { _ in place.giveBack() }
      return response
    } catch {
      // Other errors do not measure the server: a cancellation, a file that cannot be read, a request that is not valid.
      // A rejection by another limit below does not either.
      let isOfServer = error.countsAsTransient || (error as? any FaradayError)?.response != nil
      if let sent, isOfServer, !error.countsAsCancelled, !(error is RefusedRequestError) {
        adapt(key, to: sent, isOverloaded: error.countsAsTransient)
      }
      place.giveBack()
      throw error
    }
  }

  /// Returns how many requests are in flight, and how many wait.
  public func load(of request: Request) -> (inFlight: Int, waiting: Int) {
    let key = key.name(request)
    return (places.usedCount(key), places.waitingCount(key))
  }

  /// Returns the number of places for the key of the request.
  public func limit(of request: Request) -> Int { adaptation?.limit(key.name(request)) ?? limit }

  var keyCount: Int { places.keyCount }

  private func place(for request: Request, _ key: String) async throws -> Place {
    let limit = adaptation?.limit(key) ?? limit
    do {
      return try await places.take(
        key, limit: limit, priority: request.options.priority, number: places.number(), maximumWait: maximumWait)
    } catch let refusal as Places.Refusal {
      let wait: RefusedRequestError.Wait =
        switch refusal {
        case .full(let waiting): .queueFull(waiting: waiting)
        case .expired: .maximumWait(maximumWait ?? .zero)
        }
      throw RefusedRequestError(
        .concurrencyLimited(inFlight: limit, wait), key: key, retryAfter: nil, request: RequestSummary(request))
    }
  }

  /// Adapts the limit to a response or an error. A request that was not sent does not count: a layer below has responded, or
  /// rejected it.
  private func adapt(_ key: String, to sent: (request: SentRequest, start: Duration), isOverloaded: Bool) {
    let inFlight = places.usedCount(key)
    guard sent.request.wasSent,
      let limit = adaptation?.record(key, since: sent.start, inFlight: inFlight, isOverloaded: isOverloaded)
    else { return }
    places.setLimit(limit, of: key)
  }
}

extension Middleware where Self == ConcurrencyLimit {
  /// Limits the requests in flight to an origin, or for each key, to a fixed number.
  public static func concurrencyLimit(
    _ limit: Int, by key: LimitKey = .origin, maximumWait: Duration? = nil, maximumWaiting: Int = 10_000
  ) -> Self {
    Self(limit, by: key, maximumWait: maximumWait, maximumWaiting: maximumWaiting)
  }

  /// Limits the requests in flight to an origin, or for each key, to a number that is adapted to the latency.
  public static func concurrencyLimit(
    adaptive: ConcurrencyLimit.Adaptive, by key: LimitKey = .origin, maximumWait: Duration? = nil, maximumWaiting: Int = 10_000
  ) -> Self {
    Self(adaptive: adaptive, by: key, maximumWait: maximumWait, maximumWaiting: maximumWaiting)
  }
}
