@_spi(Adapters) public import FaradayCore
private import Synchronization

/// A mock adapter for tests: returns stubbed responses, records requests, and sends nothing.
///
///     let mock = MockAdapter { request in .json(["path": request.path]) }
///     let connection = try Connection("https://api.example.com", adapter: mock)
///
/// or with several stubs:
///
///     let mock = MockAdapter()
///     try mock.stub(.get, path: "/users/1", status: .notFound)
///     mock.stub(times: 2) { _ in .failure(.idleTimeout) }
///
/// The first stub that matches is used. A request without a matching stub throws ``MockError``, which lists the stubs.
/// With `isStrict: false` it gets a 404. An invalid request throws the same error as over a real adapter. Thread-safe.
public final class MockAdapter: Adapter {
  /// Decides whether a stub is for a request.
  public typealias Matcher = @Sendable (Request) -> Bool
  /// Creates the response to a request, or throws an error for it.
  public typealias Responder = @Sendable (Request) async throws -> Response

  /// The capabilities that the mock claims.
  public let capabilities: Capabilities
  private let isStrict: Bool
  private let state = Mutex(State())

  private struct State {
    var stubs: [Stub] = []
    var recorded: [RecordedRequest] = []
    /// The error of the first unexpected request.
    var unexpected: MockError?

    mutating func responder(for request: Request) -> Responder? {
      guard let index = stubs.firstIndex(where: { $0.left > 0 && $0.pattern.matches(request) }) else { return nil }
      stubs[index].left -= 1
      return stubs[index].respond
    }
  }

  /// Creates a mock without stubs.
  ///
  /// - Parameters:
  ///   - isStrict: whether a request that no stub matches throws ``MockError``, rather than getting a 404.
  ///   - capabilities: the capabilities to claim. Requests that need others throw, as over a real adapter that lacks them.
  public init(isStrict: Bool = true, capabilities: Capabilities = .all) {
    self.isStrict = isStrict
    self.capabilities = capabilities
  }

  /// The requests so far, in order.
  public var recorded: [RecordedRequest] { state.withLock { $0.recorded } }

  /// Validates and records the request, and returns the response of the first stub that matches.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "MockAdapter")
    let body = try await request.readBody()
    let (responder, stubs) = state.withLock { state in
      state.recorded.append(RecordedRequest(request: request, body: body))
      return (state.responder(for: request), state.stubs)
    }
    if let responder {
      // A sequence that can be read only once has been consumed.
      var request = request
      if request.body.isStreamed { request.body = .data(body) }
      var response = try await responder(request).mocked(for: request)
      if request.method == .head { response.body = .empty }
      return response
    }
    guard !isStrict else {
      let error = MockError(request, stubs: stubs)
      state.withLock { $0.unexpected = $0.unexpected ?? error }
      throw error
    }
    return Response(status: .notFound, url: request.url)
  }

  /// Throws ``MockError`` if a request was unexpected, even if the code under test has handled that error, and if a stub with a
  /// number of `times` was used less often.
  public func verify() throws {
    let state = state.withLock { $0 }
    if let error = state.unexpected { throw error }
    let unused = state.stubs.filter { $0.isLimited && $0.left > 0 }
    guard unused.isEmpty else { throw MockError(unused: unused.map { $0.description(Secrets()) }) }
  }

  func add(_ stub: Stub) { state.withLock { $0.stubs.append(stub) } }
}
