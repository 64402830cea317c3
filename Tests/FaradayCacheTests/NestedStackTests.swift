import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import Testing

/// Caches above a stack that adds credentials for each user: responses must be separated by the credentials sent.
@Suite struct NestedStackTests {
  /// How the adapter that adds the credentials is built.
  enum Nesting: CaseIterable {
    case oneStack, stackInStack, threeStacks, wrappedStack, wrappedTwice
  }

  enum Memory: CaseIterable {
    case cache, alwaysRevalidate, cacheOverAlwaysRevalidate
  }

  enum User { @TaskLocal static var name = "" }

  /// An adapter of somebody else's that passes requests to another one.
  struct Wrapper: Adapter {
    let inner: any Adapter
    var capabilities: Capabilities { inner.capabilities }
    func send(_ request: Request) async throws -> Response { try await inner.send(request) }
  }

  /// Answers with the user's name, and 304 to every validator: each user's representation has the same one.
  private func answering(_ cacheControl: String) -> MockAdapter {
    let mock = MockAdapter()
    mock.stub { request in
      let fields: HTTPFields = [.cacheControl: cacheControl, .eTag: "\"same\""]
      guard request.headers[.ifNoneMatch] == nil else { return Response(status: .notModified, headers: fields, url: request.url) }
      return Response(status: .ok, headers: fields, body: .text(request.headers[.authorization] ?? "nobody"), url: request.url)
    }
    return mock
  }

  private func connection(_ memory: Memory, _ nesting: Nesting, _ mock: MockAdapter) throws -> Connection {
    let authorization = MiddlewareClosure { request, next in
      var request = request
      if !User.name.isEmpty { request.headers[.authorization] = User.name }
      return try await next(request)
    }
    let nothing = MiddlewareClosure { request, next in try await next(request) }
    let middleware: [any Middleware] =
      switch memory {
      case .cache: [.cache()]
      case .alwaysRevalidate: [.cache(policy: .alwaysRevalidate)]
      case .cacheOverAlwaysRevalidate: [.cache(), .cache(policy: .alwaysRevalidate)]
      }
    let authorized = Stack([authorization], adapter: mock)
    let (own, adapter): ([any Middleware], any Adapter) =
      switch nesting {
      case .oneStack: ([authorization], mock)
      case .stackInStack: ([], authorized)
      case .threeStacks: ([nothing], Stack([nothing], adapter: authorized))
      case .wrappedStack: ([nothing], Wrapper(inner: authorized))
      case .wrappedTwice: ([], Wrapper(inner: Stack([nothing], adapter: Wrapper(inner: authorized))))
      }
    return try Connection("https://host/", adapter: adapter, middleware: middleware + own)
  }

  @Test(arguments: Memory.allCases, Nesting.allCases)
  func `no user gets another user's response, fresh or after a 304`(memory: Memory, nesting: Nesting) async throws {
    for cacheControl in ["max-age=60", "no-cache"] {
      let connection = try connection(memory, nesting, answering(cacheControl))
      // A cache above the middleware that adds credentials cannot know them.
      let users = memory == .alwaysRevalidate ? ["ada", "bob", ""] : ["ada", "bob"]
      for user in users + users {
        let text = try await User.$name.withValue(user) { try await connection.get("a").body.utf8Text() }
        #expect(text == (user.isEmpty ? "nobody" : user))
      }
    }
  }

  @Test(arguments: Nesting.allCases)
  func `a cache above a stack that changes no credentials stores responses`(nesting: Nesting) async throws {
    let connection = try connection(.cache, nesting, answering("max-age=60"))
    for outcome in [CacheResult.Outcome.miss, .hit] {
      #expect(try await connection.get("a").cacheResult?.outcome == outcome)
    }
  }

  @Test(arguments: [Nesting.stackInStack, .wrappedStack])
  func `a response to another request of the inner stack is not stored`(nesting: Nesting) async throws {
    let arrived = Log<Bool>()
    let mock = MockAdapter()
    mock.stub { request in
      await until { arrived.elements.count == 2 }
      return Response(
        status: .ok, headers: [.cacheControl: "max-age=60"], body: .text(request.headers[.authorization] ?? "nobody"),
        url: request.url)
    }
    let inner = Stack(
      [
        .authorization(.bearer("ada")),
        .closure { request, next in
          arrived.append(true)
          return try await next(request)
        }, .coalescing,
      ], adapter: mock)
    let connection = try Connection(
      "https://host/", adapter: nesting == .stackInStack ? inner : Wrapper(inner: inner), middleware: [.cache()])
    async let one = connection.get("a")
    async let two = connection.get("a")
    let results = try await [one, two].map { $0.cacheResult?.storing }
    #expect(results.contains(.notStored(.changedBelow)) && results.contains(.notStored(.answeredBelow)))
  }

  @Test(arguments: [Memory.cache, .alwaysRevalidate])
  func `a 304 after attempts with different credentials confirms no response`(memory: Memory) async throws {
    let attempts = MiddlewareClosure { request, next in
      guard !User.name.isEmpty else { return try await next(request) }
      var request = request
      request.headers[.authorization] = "other"
      _ = try await next(request)
      request.headers[.authorization] = User.name
      return try await next(request)
    }
    let middleware = memory == .cache ? HTTPCache() : HTTPCache(policy: .alwaysRevalidate)
    let connection = try Connection("https://host/", adapter: answering("no-cache"), middleware: [middleware, attempts])
    #expect(try await connection.get("a").body.utf8Text() == "nobody")
    #expect(try await User.$name.withValue("ada") { try await connection.get("a").body.utf8Text() } == "ada")
  }

  @Test(arguments: Memory.allCases)
  func `a request is released when its exchange is over`(memory: Memory) async throws {
    final class Token: Sendable {}
    enum Key: OptionKey { static let defaultValue: Token? = nil }
    // A mock would record requests.
    struct Answering: Adapter {
      let capabilities = Capabilities.all
      func send(_ request: Request) async throws -> Response {
        Response(status: .ok, headers: [.eTag: "\"a\""], url: request.url)
      }
    }
    let middleware: [any Middleware] =
      memory == .cache ? [.cache(), .coalescing] : [.cache(), .cache(policy: .alwaysRevalidate), .coalescing]
    let (one, other) = (
      try Connection("https://host/", adapter: Answering()),
      try Connection("https://host/", adapter: Answering(), middleware: middleware)
    )
    weak var kept: Token?
    do {
      let token = Token()
      kept = token
      var request = try one.request(.get, "a") { $0.options[Key.self] = token }
      _ = try await other.send(request)
      request.markSecret("a")
      _ = try await other.send(request)
    }
    #expect(kept == nil)
  }
}
