public import FaradayCore

/// Limits the whole exchange: everything that stands below it, with all attempts, waits and hops, to the end of the body.
///
///     connection.use(.timeout(.seconds(30)))
///
/// ``FaradayCore/Timeouts/total`` limits one attempt, and costs less: this one needs a task of its own for each request, and
/// one for each piece of a streamed body. What stands below is cancelled, and waited for. Throws ``TimeoutExceeded``; so does
/// reading a streamed body.
public struct Timeout: Middleware {
  private let limit: Duration
  private let clock: any Clock<Duration>

  public init(_ limit: Duration, clock: any Clock<Duration> = .continuous) {
    self.limit = limit
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let exceeded = { @Sendable in TimeoutExceeded(limit: limit, request: RequestSummary(request)) }
    // Two tasks would race, and the request could be sent.
    guard limit > .zero else { throw exceeded() }
    let deadline = Deadline(after: limit, on: clock, error: exceeded)
    return try await deadline.response { try await next(request) }
  }
}

/// A ``Timeout`` was over.
public struct TimeoutExceeded: FaradayError {
  public let limit: Duration
  public let request: RequestSummary?
  public var isTimeout: Bool { true }

  init(limit: Duration, request: RequestSummary) {
    self.limit = limit
    self.request = request
  }

  public var description: String { naming("not done within \(limit)") }
}

extension Middleware where Self == Timeout {
  /// Limits the whole exchange.
  public static func timeout(_ limit: Duration, clock: any Clock<Duration> = .continuous) -> Self { Self(limit, clock: clock) }
}

/// A moment after which nothing is waited for.
struct Deadline: Sendable {
  private let error: @Sendable () -> any Error
  private let sleep: @Sendable () async throws -> Void

  /// - Parameter error: what is thrown then; made then.
  init(after limit: Duration, on clock: any Clock<Duration>, error: @escaping @Sendable () -> any Error) {
    self.error = error
    sleep = Self.sleep(on: clock, for: limit)
  }

  private static func sleep<C: Clock>(on clock: C, for limit: Duration) -> @Sendable () async throws -> Void
  where C.Duration == Duration {
    let end = clock.now.advanced(by: limit.withinClocks)
    return { try await clock.sleep(until: end, tolerance: nil) }
  }

  /// What the work gives, or the error if it is not done in time.
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

  /// The response, with a body that is held to the same moment.
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
