public import FaradayCore

/// Limits the time of the whole exchange: all attempts, delays and redirects of the middleware below it, up to the end of a buffered
/// body, or up to the head of a response whose body is streamed or goes to a chunk callback.
///
///     let connection = try Connection(url, adapter: CurlAdapter(), middleware: [.timeout(.seconds(30))] + .standard)
///
/// Place it at the front of the list: `use` adds it below an existing ``Retry`` or ``Redirects``, where it limits one attempt.
/// ``FaradayCore/Timeouts/total`` limits one attempt, and costs less: this middleware creates a task for each request, and one
/// for each chunk of a streamed body that it limits. When the time is over, the work below is cancelled and waited for, and
/// ``FaradayCore/TimeoutError`` is thrown.
///
/// A streamed body has no time limit, because downloads and event streams are long. ``FaradayCore/Timeouts/idle`` ends a
/// stalled body. With `includesStreams` the body must end within the limit too; otherwise reading it throws
/// ``FaradayCore/TimeoutError``.
public struct Timeout: Middleware {
  private let limit: Duration
  private let includesStreams: Bool
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - limit: the time for the whole exchange; zero or less fails at once, without sending.
  ///   - includesStreams: whether a body that is streamed or goes to a chunk callback must end within the limit too. False by default.
  ///   - clock: measures the time; tests pass a manual one.
  public init(_ limit: Duration, includesStreams: Bool = false, clock: any Clock<Duration> = .continuous) {
    self.limit = limit
    self.includesStreams = includesStreams
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let options = request.options
    let includesBody = includesStreams || options.delivery == .buffered && options.onChunk == nil
    let exceeded = { @Sendable in
      TimeoutError(includesBody ? .notCompleted : .noResponse, limit: limit, request: RequestSummary(request))
    }
    // Two tasks would race, and the request might be sent.
    guard limit > .zero else { throw exceeded() }
    let deadline = Deadline(after: limit, on: clock, error: exceeded)
    if includesBody { return try await deadline.response { try await next(request) } }
    return try await deadline.value { try await next(request) }
  }
}

extension Middleware where Self == Timeout {
  /// Limits the time of the whole exchange, including redirects and retries, and for a streamed body up to its head. See
  /// ``FaradayMiddleware/Timeout``.
  public static func timeout(
    _ limit: Duration, includesStreams: Bool = false, clock: any Clock<Duration> = .continuous
  ) -> Self {
    Self(limit, includesStreams: includesStreams, clock: clock)
  }
}

/// A point in time after which waiting ends with an error.
struct Deadline: Sendable {
  private let error: @Sendable () -> any Error
  private let sleep: @Sendable () async throws -> Void

  /// - Parameter error: creates the error that is thrown at the deadline.
  init(after limit: Duration, on clock: any Clock<Duration>, error: @escaping @Sendable () -> any Error) {
    self.error = error
    sleep = Self.sleep(on: clock, for: limit)
  }

  private static func sleep<C: Clock>(on clock: C, for limit: Duration) -> @Sendable () async throws -> Void
  where C.Duration == Duration {
    let end = clock.now.advanced(by: limit.withinClocks)
    return { try await clock.sleep(until: end, tolerance: nil) }
  }

  /// Returns the result of the work, or throws the error if the deadline passes first.
  func value<Value: Sendable>(of work: @escaping @Sendable @concurrent () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask(operation: work)
      group.addTask {
        try await sleep()
        throw error()
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// Returns the response; a streamed body has the same deadline.
  func response(of work: @escaping @Sendable @concurrent () async throws -> Response) async throws -> Response {
    var response = try await value(of: work)
    if response.body.isStreamed {
      response.body = .reading(length: response.body.length) { [body = response.body] in
        let source = Source(body.makeAsyncIterator())
        return { try await value { try await source.next() } }
      }
    }
    return response
  }

  // Safe to share: the reader above waits for each piece before it requests the next one.
  private final class Source: @unchecked Sendable {
    private var iterator: Body.AsyncIterator
    init(_ iterator: Body.AsyncIterator) { self.iterator = iterator }
    func next() async throws -> Data? { try await iterator.next() }
  }
}
