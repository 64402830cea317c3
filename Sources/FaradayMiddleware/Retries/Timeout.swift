public import FaradayCore

/// Limits the time of the whole exchange: all attempts, delays and redirects of the middleware below it, up to the end of a buffered
/// body, or up to the head of a response whose body is streamed or goes to a chunk callback.
///
///     let connection = try Connection(url, adapter: CurlAdapter(), middleware: [.timeout(.seconds(30))] + .standard)
///
/// It stands in front: `use` adds it below a ``Retry`` or ``Redirects`` that is there already, where it limits one attempt.
/// ``FaradayCore/Timeouts/total`` limits one attempt, and costs less: this one creates a task for each request, and one for
/// each chunk of a streamed body that it limits. When the time is over, the work below is cancelled and waited for, and
/// ``TimeoutExceeded`` is thrown.
///
/// A streamed body may take as long as it likes, as downloads and event streams do. ``FaradayCore/Timeouts/idle`` ends one that stalls.
/// With `includesStreams` it must end within the limit too, and reading it throws ``TimeoutExceeded``.
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
    let exceeded = { @Sendable in TimeoutExceeded(limit: limit, includesBody: includesBody, request: RequestSummary(request)) }
    // Two tasks would race, and the request could be sent.
    guard limit > .zero else { throw exceeded() }
    let deadline = Deadline(after: limit, on: clock, error: exceeded)
    if includesBody { return try await deadline.response { try await next(request) } }
    return try await deadline.value { try await next(request) }
  }
}

/// The time limit of a ``Timeout`` was exceeded.
public struct TimeoutExceeded: FaradayError {
  /// The time limit.
  public let limit: Duration
  /// The request that took too long.
  public let request: RequestSummary?
  /// True.
  public var isTimeout: Bool { true }
  private let includesBody: Bool

  init(limit: Duration, includesBody: Bool, request: RequestSummary) {
    self.limit = limit
    self.includesBody = includesBody
    self.request = request
  }

  public var description: String { naming("timed out: \(includesBody ? "not completed" : "no response") within \(limit)") }
}

extension Middleware where Self == Timeout {
  /// Limits the time of the whole exchange, redirects and retries included, of a streamed body up to its head. See
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

  /// - Parameter error: makes the error that is thrown at the deadline.
  init(after limit: Duration, on clock: any Clock<Duration>, error: @escaping @Sendable () -> any Error) {
    self.error = error
    sleep = Self.sleep(on: clock, for: limit)
  }

  private static func sleep<C: Clock>(on clock: C, for limit: Duration) -> @Sendable () async throws -> Void
  where C.Duration == Duration {
    let end = clock.now.advanced(by: limit.withinClocks)
    return { try await clock.sleep(until: end, tolerance: nil) }
  }

  /// What the work returns, or the error if the deadline comes first.
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

  /// The response; a streamed body has the same deadline.
  func response(of work: @escaping @Sendable @concurrent () async throws -> Response) async throws -> Response {
    var response = try await value(of: work)
    if response.body.isStreamed {
      response.body = .stream(Pieces(body: response.body, deadline: self), length: response.body.length)
    }
    return response
  }

  private struct Pieces: AsyncSequence, Sendable {
    typealias Element = Data
    let body: Body
    let deadline: Deadline

    func makeAsyncIterator() -> Iterator { Iterator(source: Source(body.makeAsyncIterator()), deadline: deadline) }

    struct Iterator: AsyncIteratorProtocol {
      let source: Source
      let deadline: Deadline

      mutating func next() async throws -> Data? { try await deadline.value { [source] in try await source.next() } }
    }

    // Safe to share: the iterator above waits for each piece before it asks for the next.
    final class Source: @unchecked Sendable {
      private var iterator: Body.AsyncIterator
      init(_ iterator: Body.AsyncIterator) { self.iterator = iterator }
      func next() async throws -> Data? { try await iterator.next() }
    }
  }
}
