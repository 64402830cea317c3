import Faraday
import FaradayCache
import FaradayTesting
import TestSupport
import Testing

/// The cache with retries, limits and coalescing, in the order of the articles.
@Suite struct CompositionTests {
  private let server = CachedServer()

  private func connection(_ breaker: CircuitBreaker = CircuitBreaker(), _ rate: RateLimit = RateLimit()) throws -> Connection {
    let hedging = Hedging(.init(.fixed(.seconds(60))))
    return try server.connection(
      [.redirects(), .authorization(.bearer("token"))],
      below: [.coalescing, .retry(retries: 0), hedging, breaker, rate, ConcurrencyLimit(1, maximumWait: .zero)])
  }

  @Test func `cache hits do not count in limits below the cache`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    let connection = try connection(CircuitBreaker(), RateLimit(.init(1, per: .seconds(3600), maximumWait: .zero)))
    #expect(try await connection.get("a").cacheResult == CacheResult(.miss, .stored))
    for _ in 1...5 { #expect(try await connection.get("a").cacheResult?.outcome == .hit) }
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get("b") }?.isRateLimited == true)
  }

  @Test func `stale-if-error applies to an open circuit and to a rejecting limit`() async throws {
    server.answer([.cacheControl: "max-age=1, stale-if-error=60"], times: 1)
    server.answer([:], status: .badGateway)
    let connection = try connection(CircuitBreaker(.init(failures: 1), clock: ManualClock()))
    _ = try await connection.get("a")
    server.advance(by: 2)
    for reason in [CacheResult.Reason.serverError, .unreachable, .unreachable] {
      #expect(try await connection.get("a").cacheResult == CacheResult(.stale(reason), .unchanged))
    }
    #expect(server.count == 2)
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get("b") }?.isCircuitOpen == true)
    let limited = try self.connection(CircuitBreaker(), RateLimit(.init(1, per: .seconds(3600), maximumWait: .zero)))
    _ = try await limited.get("a")
    #expect(try await limited.get("a").cacheResult?.outcome == .stale(.unreachable))
  }

  @Test func `a response from another cache below is not stored, because its credentials are unknown`() async throws {
    server.answer { request in
      let user = request.headers[.authorization] ?? "nobody"
      return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: .text(user), url: request.url)
    }
    func connection(_ user: String) throws -> Connection {
      try server.connection(below: [.authorization(.bearer(user)), .cache()])
    }
    let alice = try connection("alice")
    #expect(try await alice.get("a").cacheResult?.storing == .notStored(.changedBelow))
    let second = try await alice.get("a")
    #expect(second.cacheResult?.storing == .notStored(.answeredBelow) && server.count == 1)
    #expect(try await connection("bob").get("a").body.utf8Text() == "Bearer bob")
    #expect(try await server.look() == "nobody, miss, stored")
  }

  @Test func `a request that coalescing below merged into another stores and removes nothing`() async throws {
    let arrived = Log<Bool>()
    server.answer { request in
      await until { arrived.elements.count == 2 }
      return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: "a", url: request.url)
    }
    let counting = MiddlewareClosure { request, next in
      arrived.append(true)
      return try await next(request)
    }
    let connection = try server.connection(below: [counting, Coalescing()])
    async let one = connection.get("a")
    async let two = connection.get("a")
    let results = try await [one, two].map { $0.cacheResult?.storing }
    #expect(server.count == 1 && results.contains(.stored) && results.contains(.notStored(.answeredBelow)))
    #expect(try await server.look() == "a, hit")
  }

  @Test func `requests that share one validation below the cache both get the stored response`() async throws {
    let arrived = Log<Bool>()
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\""], times: 1)
    server.answer { request in
      await until { arrived.elements.count >= 3 }
      return Response(status: .notModified, headers: [.cacheControl: "max-age=1"], url: request.url)
    }
    let counting = MiddlewareClosure { request, next in
      arrived.append(true)
      return try await next(request)
    }
    let coalescing = Coalescing()
    let connection = try server.connection(below: [counting, coalescing])
    _ = try await connection.get("a")
    server.advance(by: 2)
    async let one = connection.get("a")
    async let two = connection.get("a")
    for response in try await [one, two] {
      #expect(response.status == .ok && response.cacheResult?.outcome == .revalidated)
    }
  }
}
