public import FaradayCore
private import Synchronization

/// Answers from stubs and sends nothing, so that what stands above an adapter can be tested without one.
///
///     let mock = MockAdapter()
///     try mock.stub(.get, path: "/users/1", status: .notFound)
///     let connection = try Connection("https://api.example.com", adapter: mock)
///
/// The first stub that matches answers. A request that none matches is an ``UnexpectedRequest``, which lists the stubs; with
/// `isStrict: false` it gets a 404. One that no adapter could send is an error as over a real one. It may be used from any thread.
public final class MockAdapter: Adapter {
  public typealias Matcher = @Sendable (Request) -> Bool
  public typealias Responder = @Sendable (Request) async throws -> Response

  /// A request that arrived, and the bytes of its body, which have been read.
  public struct Recorded: Sendable {
    public let request: Request
    public let body: Data
  }

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

  /// - Parameter capabilities: what to claim. Requests that need more fail, as they would over an adapter that lacks it.
  public init(isStrict: Bool = true, capabilities: Capabilities = .all) {
    self.isStrict = isStrict
    self.capabilities = capabilities
  }

  /// What has arrived, in order.
  public var recorded: [Recorded] { state.withLock { $0.recorded } }

  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "MockAdapter")
    let body = try await read(request)
    let (responder, stubs) = state.withLock { state in
      state.recorded.append(Recorded(request: request, body: body))
      return (state.responder(for: request), state.stubs)
    }
    if let responder {
      // A sequence may be read once, and has been.
      var request = request
      if request.body.isStreamed { request.body = .data(body) }
      var response = try await responder(request)
      if request.method == .head { response.body = .empty }
      return response
    }
    guard !isStrict else { throw UnexpectedRequest(request, stubs: stubs) }
    return Response(status: .notFound, url: request.url)
  }

  func add(_ stub: Stub) { state.withLock { $0.stubs.append(stub) } }
}
