import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// Servers that mean no good.
@Suite struct HostileTests {
  @Test func `a 304 that would add too many fields is not merged, and the request is sent again`() async throws {
    let server = CachedServer(store: MemoryCache(maximumSize: 1 << 30))
    let round = Log<Int>()
    server.answer { request in
      round.append(1)
      var headers: HTTPFields = [.eTag: "\"a\"", .cacheControl: "no-cache"]
      for number in 0..<4000 { try headers.append(name: "X-\(round.elements.count)-\(number)", value: "1") }
      let status: HTTPResponse.Status = request.headers.contains(.ifNoneMatch) ? .notModified : .ok
      return Response(status: status, headers: headers, body: status == .ok ? "a" : .empty, url: request.url)
    }
    var results: [CacheResult.Storing?] = []
    for _ in 0..<4 { results.append(try await server.get().cacheResult?.storing) }
    #expect(results == [.stored, .stored, .stored, .stored])
    #expect(server.sent(.ifNoneMatch) == [nil, "\"a\"", "\"a\"", nil, "\"a\""])
  }

  /// An `ETag`, a lifetime, and so many fields of one name, or of names with that prefix.
  private static func fields(_ count: Int, named name: String? = nil, prefix: String) -> HTTPFields {
    let names = (0..<count).compactMap { HTTPField.Name(name ?? "\(prefix)-\($0)") }
    let own = [HTTPField(name: .eTag, value: "\"a\""), HTTPField(name: .cacheControl, value: "max-age=60")]
    return HTTPFields(own + names.map { HTTPField(name: $0, value: "1") })
  }

  @Test(arguments: [nil, "Set-Cookie", "X-Same"])
  func `a 304 with as many fields as HTTPFields can hold does not trap`(name: String?) async throws {
    let server = CachedServer()
    let (first, update) = (Self.fields(4_000, named: name, prefix: "X-First"), Self.fields(65_000, named: name, prefix: "X-New"))
    server.answer { request in
      guard request.headers.contains(.ifNoneMatch) else {
        return Response(status: .ok, headers: first, body: "a", url: request.url)
      }
      return Response(status: .notModified, headers: update, url: request.url)
    }
    for _ in 0..<3 {
      let response = try await server.get(headers: [.cacheControl: "no-cache"])
      #expect(response.status == .ok && response.headers.count == 4_002)
    }
    #expect(server.count == 5)
  }

  @Test func `a HEAD response with as many fields as HTTPFields can hold removes the stored response`() async throws {
    let server = CachedServer()
    let (first, update) = (Self.fields(4_000, prefix: "X-First"), Self.fields(65_000, prefix: "X-New"))
    server.answer { request in
      request.method == .head
        ? Response(status: .ok, headers: update, url: request.url)
        : Response(status: .ok, headers: first, body: "a", url: request.url)
    }
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .hit)
    _ = try await server.send(.head, headers: [.cacheControl: "no-cache"])
    #expect(try await server.get().cacheResult?.outcome == .miss)
    #expect(server.mock.recorded.map(\.request.method) == [.get, .head, .get])
  }

  @Test func `thousands of directives do not hide the ones after them`() async throws {
    for directive in [",", "a,", "=,", "\"", "a=\"", "max-age=1,", "private=\"a,"] {
      let server = CachedServer()
      server.answer([.cacheControl: String(repeating: directive, count: 3_000) + ", no-store"])
      #expect(try await server.get().cacheResult?.storing == .notStored(.noStore))
    }
  }

  @Test func `huge lifetimes and ages do not overflow`() async throws {
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

  @Test func `an ETag that injects a line or a list is not sent`() async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\", *", .lastModified: "x\r\nY: z"])
    try await server.get()
    server.advance(by: 1)
    try await server.get()
    #expect(server.sent(.ifNoneMatch) == [nil, nil] && server.sent(.ifModifiedSince) == [nil, nil])
  }

  @Test func `a server that always responds 304 gets one unconditional request`() async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\""], times: 1)
    server.answer([.eTag: "\"b\""], status: .notModified)
    try await server.get()
    server.advance(by: 1)
    #expect(try await server.get().status == .notModified)
    #expect(server.count == 3)
  }
}
