import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// The directives of requests and responses, and the modes (RFC 9111, section 5.2; RFC 5861; RFC 8246).
@Suite struct DirectiveTests {
  private let server = CachedServer()

  // MARK: 5.2.1, requests

  @Test func `RFC 9111 5.2.1.1: max-age of the request limits the age`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look(headers: [.cacheControl: "max-age=10"]) == "body 1, hit")
    #expect(try await server.look(headers: [.cacheControl: "max-age=9"]) == "body 2, miss, stored")
    #expect(try await server.get(headers: [.cacheControl: "max-age=x"]).cacheResult?.outcome == .hit)
    server.advance(by: 1)
    #expect(try await server.get(headers: [.cacheControl: "max-age=x"]).cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 5.2.1.2: max-stale accepts responses that are stale for up to its time, or for any time`() async throws {
    server.answer([.cacheControl: "max-age=10"])
    try await server.get()
    server.advance(by: 20)
    #expect(try await server.look(headers: [.cacheControl: "max-stale=10"]) == "body 1, stale (max-stale)")
    #expect(try await server.look(headers: [.cacheControl: "max-stale"]) == "body 1, stale (max-stale)")
    #expect(try await server.get(headers: [.cacheControl: "max-stale=9"]).cacheResult?.outcome == .miss)
    server.advance(by: 20)
    #expect(try await server.get(headers: [.cacheControl: "max-stale=x"]).cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 5.2.1.3: min-fresh requires a response to stay fresh for its time`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.get(headers: [.cacheControl: "min-fresh=50"]).cacheResult?.outcome == .hit)
    #expect(try await server.get(headers: [.cacheControl: "min-fresh=51"]).cacheResult?.outcome == .miss)
    #expect(try await server.get(headers: [.cacheControl: "min-fresh=x"]).cacheResult?.outcome == .miss)
    // What is stale is not fresh for any time, however stale it may be.
    server.advance(by: 60)
    #expect(try await server.get(headers: [.cacheControl: "max-stale, min-fresh=0"]).cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 5.2.1.4: no-cache validates the stored response at the server`() async throws {
    server.answer([.cacheControl: "max-age=60", .eTag: "\"a\""], times: 1)
    server.answer([:], status: .notModified)
    try await server.get()
    #expect(try await server.look(headers: [.cacheControl: "no-cache"]) == "body 1, revalidated, stored")
    #expect(server.sent(.ifNoneMatch) == [nil, "\"a\""])
  }

  @Test func `RFC 9111 5.2.1.5: no-store stores nothing and keeps the stored response`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    #expect(try await server.look(headers: [.cacheControl: "no-store"]) == "body 1, miss, not stored (no-store)")
    #expect(try await server.look() == "body 2, miss, stored")
    #expect(try await server.look(headers: [.cacheControl: "no-store"]) == "body 2, hit")
  }

  @Test func `RFC 9111 5.2.1.7: only-if-cached returns a fresh response or 504`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    let only: HTTPFields = [.cacheControl: "only-if-cached"]
    #expect(try await server.look(headers: only) == "504, miss, not stored (only-if-cached)")
    #expect(server.count == 0)
    try await server.get()
    #expect(try await server.look(headers: only) == "body 1, hit")
    server.advance(by: 60)
    #expect(try await server.get(headers: only).status == .gatewayTimeout)
    #expect(server.count == 1)
  }

  @Test(arguments: [true, false])
  func `RFC 9111 5.2.1.7: only-if-cached sends nothing even if the request cannot be cached`(isMode: Bool) async throws {
    server.answer([.cacheControl: "max-age=60"])
    let requests: [@Sendable (inout Request) -> Void] = [
      { $0.headers[.range] = "bytes=0-1" }, { $0.headers[.ifNoneMatch] = "\"a\"" }, { $0.body = "query" }, { $0.method = .head },
    ]
    for edit in requests {
      let response = try await server.connection().get("a") {
        if isMode { $0.options.cache = .onlyIfCached } else { $0.headers[.cacheControl] = "only-if-cached" }
        edit(&$0)
      }
      #expect(response.status == .gatewayTimeout && response.cacheResult?.storing == .notStored(.onlyIfCached))
    }
    #expect(server.count == 0)
  }

  @Test func `RFC 5861 3: a request with no-store revalidates before it returns, not in the background`() async throws {
    server.answer([.cacheControl: "max-age=1, stale-while-revalidate=99"])
    try await server.get()
    server.advance(by: 2)
    #expect(try await server.look(headers: [.cacheControl: "no-store"]) == "body 2, miss, not stored (no-store)")
  }

  @Test func `RFC 9111 5.2.2: directives for shared caches are ignored`() async throws {
    server.answer([.cacheControl: "s-maxage=60"], times: 1)
    server.answer([.cacheControl: "max-age=1, proxy-revalidate"])
    #expect(try await server.look() == "body 1, miss, not stored (never fresh)")
    try await server.get()
    server.advance(by: 2)
    #expect(try await server.get(headers: [.cacheControl: "max-stale"]).cacheResult?.outcome == .stale(.maximumStale))
    #expect(try await server.get(headers: [.cacheControl: "max-stale, max-age=0"]).cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 5.2.1.7: only-if-cached returns no stale response that would need revalidation`() async throws {
    server.answer([.cacheControl: "max-age=1, stale-while-revalidate=60"])
    try await server.get()
    server.advance(by: 2)
    #expect(try await server.get(headers: [.cacheControl: "only-if-cached"]).status == .gatewayTimeout)
    await server.revalidationsEnded()
    #expect(server.count == 1)
  }

  @Test(arguments: ["no-cache=\"\"", "no-cache=\" , \"", "no-cache=\"@@\"", "no-cache=\"X-A, @@\""])
  func `RFC 9111 5.2.2.4: no-cache with invalid names applies to the whole response`(directive: String) async throws {
    server.answer([.cacheControl: "max-age=60, \(directive)", .eTag: "\"a\""], times: 1)
    server.answer([:], status: .notModified)
    try await server.get()
    #expect(try await server.look() == "body 1, revalidated, stored")
  }

  @Test func `preferCached returns fresh responses too, whatever limits the request has`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    server.advance(by: 5)
    for limit in ["max-age=0", "min-fresh=100"] {
      #expect(try await server.look(headers: [.cacheControl: limit], mode: .preferCached) == "body 1, hit")
    }
  }

  @Test func `RFC 9111 5.4: Pragma applies if Cache-Control is absent`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    #expect(try await server.look(headers: [.pragma: "x, No-Cache"]) == "body 2, miss, stored")
    #expect(try await server.look(headers: [.pragma: "no-cache", .cacheControl: "max-age=9"]) == "body 2, hit")
  }

  // MARK: 5.2.2, responses

  @Test func `RFC 9111 5.2.2.5: a response with no-store is not stored and removes the stored one`() async throws {
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\""], times: 1)
    server.answer([.cacheControl: "no-store, max-age=60"])
    try await server.get()
    server.advance(by: 1)
    #expect(try await server.look() == "body 2, miss, not stored (no-store)")
    #expect(try await server.look(mode: .onlyIfCached) == "504, miss, not stored (only-if-cached)")
  }

  @Test func `RFC 9111 5.2.2.4: a response with no-cache is stored, and validated each time`() async throws {
    server.answer([.cacheControl: "no-cache, max-age=60", .eTag: "\"a\""], times: 1)
    server.answer([:], status: .notModified)
    #expect(try await server.look() == "body 1, miss, stored")
    #expect(try await server.look() == "body 1, revalidated, stored")
    #expect(try await server.look(mode: .preferCached) == "body 1, revalidated, stored")
    #expect(try await server.look(mode: .onlyIfCached) == "504, miss, not stored (only-if-cached)")
  }

  @Test func `RFC 9111 5.2.2.4: no-cache with names withholds those fields`() async throws {
    var fields: HTTPFields = [.cacheControl: "max-age=60, no-cache=\"X-User, x-count\"", .eTag: "\"a\""]
    for name in ["X-User", "X-Count", "X-Other"] { try fields.set(name: name, value: "1") }
    server.answer(fields, times: 1)
    server.answer([:], status: .notModified)
    try await server.get()
    let hit = try await server.get()
    #expect(hit.cacheResult?.outcome == .hit && hit.headers["X-Other"] == "1")
    #expect(hit.headers["X-User"] == nil && hit.headers["X-Count"] == nil)
    let validated = try await server.get(headers: [.cacheControl: "no-cache"])
    #expect(validated.headers["X-User"] == "1")
  }

  @Test func `RFC 9111 5.2.2.2: a response with must-revalidate is never returned stale`() async throws {
    server.answer([.cacheControl: "max-age=1, must-revalidate, stale-if-error=99, stale-while-revalidate=99"], times: 1)
    server.answer { throw TransportError(.connectionFailed, building: $0, "") }
    try await server.get()
    server.advance(by: 1)
    await #expect(throws: TransportError.self) { try await server.get(headers: [.cacheControl: "max-stale"]) }
    await #expect(throws: TransportError.self) { try await server.get(mode: .preferCached) }
    #expect(try await server.get(mode: .onlyIfCached).status == .gatewayTimeout)
  }

  @Test func `RFC 9111 5.2.2.7: private is ignored, also with names`() async throws {
    server.answer([.cacheControl: "private=\"X-User\", max-age=60"])
    try await server.get()
    #expect(try await server.look() == "body 1, hit")
  }

  @Test func `RFC 9111 5.2.2.3: must-understand overrides no-store for known statuses`() async throws {
    server.answer([.cacheControl: "must-understand, no-store, max-age=60"], times: 1)
    server.answer([.cacheControl: "must-understand, max-age=60"], status: HTTPResponse.Status(code: 299))
    try await server.get()
    #expect(try await server.look() == "body 1, hit")
    #expect(try await server.look("b") == "body 2, miss, not stored (status)")
  }

  @Test func `RFC 8246 2: an immutable fresh response is revalidated only by force`() async throws {
    server.answer([.cacheControl: "max-age=60, immutable"])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look(headers: [.cacheControl: "max-age=0"]) == "body 1, hit")
    #expect(try await server.look(headers: [.cacheControl: "no-cache"]) == "body 2, miss, stored")
    server.advance(by: 60)
    #expect(try await server.look() == "body 3, miss, stored")
  }

  // MARK: RFC 5861

  @Test func `RFC 5861 3: stale-while-revalidate returns the stale response, and one request renews it`() async throws {
    let gate = Gate()
    server.answer([.cacheControl: "max-age=10, stale-while-revalidate=20", .eTag: "\"a\""], times: 1)
    server.answer { request in
      await gate.opened()
      return Response(status: .ok, headers: [.cacheControl: "max-age=10"], body: "new", url: request.url)
    }
    try await server.get()
    server.advance(by: 30)
    for _ in 0..<3 { #expect(try await server.look() == "body 1, stale (stale-while-revalidate)") }
    gate.open()
    await server.revalidationsEnded()
    #expect(try await server.look() == "new, hit")
    #expect(server.count == 2)
  }

  @Test func `RFC 5861 3: a response beyond stale-while-revalidate is validated first`() async throws {
    server.answer([.cacheControl: "max-age=10, stale-while-revalidate=20"])
    try await server.get()
    server.advance(by: 31)
    #expect(try await server.look() == "body 2, miss, stored")
  }

  @Test func `background revalidations are bounded`() async throws {
    var policy = HTTPCache.Policy()
    policy.maximumRevalidations = 2
    let server = CachedServer(policy: policy)
    let gate = Gate()
    server.answer([.cacheControl: "max-age=1, stale-while-revalidate=99"], times: 5)
    server.answer { request in
      await gate.opened()
      return Response(status: .ok, headers: [.cacheControl: "max-age=9"], body: "new", url: request.url)
    }
    for path in 0..<5 { try await server.get("\(path)") }
    server.advance(by: 5)
    for path in 0..<5 { #expect(try await server.get("\(path)").cacheResult?.outcome == .stale(.revalidating)) }
    gate.open()
    await server.revalidationsEnded()
    #expect(server.count == 7)
  }

  @Test(arguments: [500, 502, 503, 504])
  func `RFC 5861 4: stale-if-error returns the stale response after a server error`(code: Int) async throws {
    server.answer([.cacheControl: "max-age=10, stale-if-error=20"], times: 1)
    server.answer([:], status: HTTPResponse.Status(code: code))
    try await server.get()
    server.advance(by: 30)
    #expect(try await server.look() == "body 1, stale (stale-if-error after a server error)")
    server.advance(by: 1)
    #expect(try await server.get().status.code == code)
  }

  @Test func `RFC 5861 4: stale-if-error of request or response applies if the server is unreachable`()
    async throws
  {
    server.answer([.cacheControl: "max-age=10"], times: 1)
    server.answer { throw TransportError(.connectionFailed, building: $0, "") }
    try await server.get()
    server.advance(by: 30)
    let result = try await server.get(headers: [.cacheControl: "stale-if-error=20"]).cacheResult
    #expect(result?.outcome == .stale(.unreachable))
    await #expect(throws: TransportError.self) { try await server.get() }
  }

  @Test(arguments: [
    ("max-age=10, stale-if-error=20", "no-cache", 500), ("max-age=10, no-cache, stale-if-error=20", "", 500),
    ("max-age=10, must-revalidate, stale-if-error=20", "", 500), ("max-age=10, stale-if-error=20", "", 501),
  ])
  func `RFC 5861 4: no-cache and must-revalidate override stale-if-error, which is for four statuses`(
    response: String, request: String, code: Int
  ) async throws {
    server.answer([.cacheControl: response], times: 1)
    server.answer([:], status: HTTPResponse.Status(code: code))
    try await server.get()
    server.advance(by: 15)
    let headers: HTTPFields = request.isEmpty ? [:] : [.cacheControl: request]
    #expect(try await server.get(headers: headers).status.code == code)
  }

  @Test(arguments: [TransportError.Code.tlsVerificationFailed, .invalidHeader, .bodyTooLarge])
  func `an error that is not a network error is thrown, whatever is stored`(code: TransportError.Code) async throws {
    server.answer([.cacheControl: "max-age=10, stale-if-error=99"], times: 1)
    server.answer { throw TransportError(code, building: $0, "") }
    try await server.get()
    server.advance(by: 30)
    await #expect(throws: TransportError.self) { try await server.get() }
  }

  // MARK: modes

  @Test func `reload sends an unconditional request with no-cache, and stores the response`() async throws {
    server.answer([.cacheControl: "max-age=60", .eTag: "\"a\""])
    try await server.get()
    #expect(try await server.look(mode: .reload) == "body 2, miss, stored")
    #expect(try await server.look() == "body 2, hit")
    #expect(server.sent(.cacheControl) == [nil, "no-cache"] && server.sent(.ifNoneMatch) == [nil, nil])
  }

  @Test func `reload keeps the request's own directives, even only-if-cached`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    for own in ["max-age=5", "only-if-cached"] {
      #expect(try await server.get(headers: [.cacheControl: own], mode: .reload).cacheResult?.storing == .stored)
      #expect(server.sent(.cacheControl).last == own)
    }
  }

  @Test func `a reload with no-store in the response removes the stored one`() async throws {
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer([.cacheControl: "no-store"])
    try await server.get()
    try await server.get(mode: .reload)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `noStore bypasses the cache`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    #expect(try await server.look(mode: .noStore) == "body 1, bypassed (no-store), not stored (no-store)")
    try await server.get()
    #expect(try await server.look(mode: .noStore) == "body 3, bypassed (no-store), not stored (no-store)")
    #expect(try await server.look() == "body 2, hit")
  }

  @Test func `preferCached accepts any age and loads missing responses; onlyIfCached never sends`() async throws {
    server.answer([.cacheControl: "max-age=1"])
    #expect(try await server.look(mode: .onlyIfCached) == "504, miss, not stored (only-if-cached)")
    #expect(try await server.look(mode: .preferCached) == "body 1, miss, stored")
    server.advance(by: 1000)
    #expect(try await server.look(mode: .preferCached) == "body 1, stale (requested)")
    #expect(try await server.look(mode: .onlyIfCached) == "body 1, stale (requested)")
    #expect(server.count == 1)
  }
}
