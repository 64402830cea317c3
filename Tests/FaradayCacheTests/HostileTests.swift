import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// Servers that mean no good.
@Suite struct HostileTests {
  @Test func `304s that each add thousands of fields end with a response that is not stored`() async throws {
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
    #expect(results == [.stored, .stored, .notStored(.tooLarge), .stored])
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
