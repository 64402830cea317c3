@_spi(Adapters) public import FaradayCore
private import Synchronization

/// A mock adapter for tests: returns stubbed responses, records requests, and sends nothing.
///
///     let mock = MockAdapter()
///     try mock.stub(.get, path: "/users/1", status: .notFound)
///     let connection = try Connection("https://api.example.com", adapter: mock)
///
/// The first stub that matches is used. A request without a matching stub throws ``MockError``, which lists the stubs.
/// With `isStrict: false` it gets a 404. An invalid request throws the same error as over a real adapter. Thread-safe.
public final class MockAdapter: Adapter {
  /// Decides whether a stub is for a request.
  public typealias Matcher = @Sendable (Request) -> Bool
  /// Creates the response to a request, or throws an error for it.
  public typealias Responder = @Sendable (Request) async throws -> Response

  /// A request that was sent over the mock, with the bytes of its body.
  public struct Recorded: Sendable {
    /// The request, after all middleware.
    public let request: Request
    /// The bytes of its body.
    public let body: Data
  }

  /// The capabilities that the mock claims.
  public let capabilities: Capabilities
  private let isStrict: Bool
  private let state = Mutex(State())

  private struct State {
    var stubs: [Stub] = []
    var recorded: [Recorded] = []

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
  public var recorded: [Recorded] { state.withLock { $0.recorded } }

  /// Validates and records the request, and returns the response of the first stub that matches.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "MockAdapter")
    let body = try await read(request)
    let (responder, stubs) = state.withLock { state in
      state.recorded.append(Recorded(request: request, body: body))
      return (state.responder(for: request), state.stubs)
    }
    if let responder {
      // A sequence that can be read only once has been consumed.
      var request = request
      if request.body.isStreamed { request.body = .data(body) }
      var response = try await responder(request)
      if request.method == .head { response.body = .empty }
      return response
    }
    guard !isStrict else { throw MockError(request, stubs: stubs) }
    return Response(status: .notFound, url: request.url)
  }

  func add(_ stub: Stub) { state.withLock { $0.stubs.append(stub) } }
}
