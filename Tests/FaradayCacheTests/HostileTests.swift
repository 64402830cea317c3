import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// Servers that mean no good.
@Suite struct HostileTests {
  @Test func `a 304 that would make a response of too many fields is not merged, and the request is sent again`() async throws {
    let server = CachedServer(store: MemoryCache(maximumSize: 1 << 30))
    let round = Log<Int>()
    server.answer { request in
      round.append(1)
      var headers: HTTPFields = [.eTag: "\"a\"", .cacheControl: "no-cache"]
      for number in 0..<4000 { try headers.add("X-\(round.elements.count)-\(number)", "1") }
      let status: HTTPResponse.Status = request.headers.contains(.ifNoneMatch) ? .notModified : .ok
      return Response(status: status, headers: headers, body: status == .ok ? "a" : .empty, url: request.url)
    }
    var results: [CacheResult.Storing?] = []
    for _ in 0..<4 { results.append(try await server.get().cacheResult?.storing) }
    #expect(results == [.stored, .stored, .stored, .stored])
    #expect(server.sent(.ifNoneMatch) == [nil, "\"a\"", "\"a\"", nil, "\"a\""])
  }

  @Test(arguments: [nil, "Set-Cookie", "X-Same"])
  func `a 304 with as many fields as HTTPFields can hold ends nothing`(name: String?) async throws {
    let server = CachedServer()
    server.answer { request in
      let isConditional = request.headers.contains(.ifNoneMatch)
      var headers: HTTPFields = [.eTag: "\"a\"", .cacheControl: "no-cache"]
      for number in 0..<(isConditional ? 65_000 : 4_000) { try headers.add(name ?? "X-\(isConditional)-\(number)", "1") }
      return Response(
        status: isConditional ? .notModified : .ok, headers: headers, body: isConditional ? .empty : "a", url: request.url)
    }
    for _ in 0..<3 {
      let response = try await server.get()
      #expect(response.status == .ok && response.headers.count == 4_002)
    }
    #expect(server.count == 5)
  }

  @Test func `the response to a HEAD with as many fields as HTTPFields can hold removes what is stored`() async throws {
    let server = CachedServer()
    server.answer { request in
      var headers: HTTPFields = [.eTag: "\"a\"", .cacheControl: "max-age=60"]
      for number in 0..<(request.method == .head ? 65_000 : 4_000) { try headers.add("X-\(request.method)-\(number)", "1") }
      return Response(status: .ok, headers: headers, body: request.method == .head ? .empty : "a", url: request.url)
    }
    try await server.get()
    _ = try await server.send(.head, headers: [.cacheControl: "no-cache"])
    #expect(try await server.get().cacheResult?.outcome == .miss)
    #expect(server.mock.recorded.map(\.request.method) == [.get, .head, .get])
  }

  @Test func `directives by the thousand hide nothing behind them`() async throws {
    for directive in [",", "a,", "=,", "\"", "a=\"", "max-age=1,", "private=\"a,"] {
      let server = CachedServer()
      server.answer([.cacheControl: String(repeating: directive, count: 3_000) + ", no-store"])
      #expect(try await server.get().cacheResult?.storing == .notStored(.noStore))
    }
  }

  @Test func `a lifetime and an age without end do not overflow`() async throws {
    let server = CachedServer()
    let digits = String(repeating: "9", count: 5000)
    server.answer([
      .cacheControl: "max-age=\(digits), stale-while-revalidate=\(digits), stale-if-error=\(digits)", .age: digits,
      .expires: "Fri, 31 Dec 9999 23:59:59 GMT", .lastModified: "Mon, 01 Jan 1601 00:00:00 GMT",
    ])
    for _ in 0..<2 {
      _ = try await server.look(headers: [.cacheControl: "max-stale=\(digits), min-fresh=\(digits), max-age=\(digits)"])
    }
    await server.revalidationsEnded()
  }

  @Test func `a tag that injects a line or a list is not sent`() async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\", *", .lastModified: "x\r\nY: z"])
    try await server.get()
    server.advance(by: 1)
    try await server.get()
    #expect(server.sent(.ifNoneMatch) == [nil, nil] && server.sent(.ifModifiedSince) == [nil, nil])
  }

  @Test func `a server that answers 304 for ever is asked once more without a question`() async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\""], times: 1)
    server.answer([.eTag: "\"b\""], status: .notModified)
    try await server.get()
    server.advance(by: 1)
    #expect(try await server.get().status == .notModified)
    #expect(server.count == 3)
  }
}
