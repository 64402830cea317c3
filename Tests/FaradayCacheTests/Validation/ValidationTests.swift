import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// Validation and invalidation (RFC 9111, sections 4.3 and 4.4).
@Suite struct ValidationTests {
  private let server = CachedServer()

  // MARK: 4.3.1, 4.3.3

  @Test func `RFC 9111 4.3.1: a stale response is validated by ETag and date`() async throws {
    let date = CachedServer.date(-1000)
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\"", .lastModified: date], times: 1)
    server.answer([.cacheControl: "max-age=20"], status: .notModified)
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 1, revalidated, stored")
    #expect(server.sent(.ifNoneMatch) == [nil, "\"a\""] && server.sent(.ifModifiedSince) == [nil, date])
    server.advance(by: 19)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test(arguments: ["*", "a", "\"", "\"a\", \"b\"", "\"a", "\"a\"b\"", "", "w/\"a\""])
  func `RFC 9110 8.8.3: an invalid ETag is not sent`(tag: String) async throws {
    server.answer([.cacheControl: "max-age=1", .eTag: tag])
    try await server.get()
    server.advance(by: 1)
    try await server.get()
    #expect(server.sent(.ifNoneMatch) == [nil, nil])
  }

  @Test func `RFC 9110 8.8.3: of two ETags none is sent`() async throws {
    var fields: HTTPFields = [.cacheControl: "max-age=1", .eTag: "\"a\""]
    fields.append(HTTPField(name: .eTag, value: "\"b\""))
    server.answer(fields)
    try await server.get()
    server.advance(by: 1)
    try await server.get()
    #expect(server.sent(.ifNoneMatch) == [nil, nil])
  }

  @Test func `RFC 9111 4.3.3: a full response replaces the stale one`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\""])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 2, miss, stored")
    #expect(try await server.look() == "body 2, hit")
  }

  @Test func `RFC 9111 4.3.3: a server error is passed on, and the stored response stays`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\""], times: 1)
    server.answer([:], status: .internalServerError, times: 1)
    server.answer([:], status: .notModified)
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.get().status == .internalServerError)
    #expect(try await server.look() == "body 1, revalidated, stored")
  }

  @Test func `a 304 to an unconditional request is passed on`() async throws {
    server.answer([:], status: .notModified)
    let response = try await server.get()
    #expect(response.status == .notModified && response.cacheResult == CacheResult(.miss, .notStored(.status)))
  }

  @Test func `a 304 to a precondition added by middleware below is passed on`() async throws {
    server.answer([.cacheControl: "max-age=1", .eTag: "\"a\""], times: 1)
    server.answer([:], status: .notModified)
    try await server.get()
    server.advance(by: 1)
    let below = Interceptors([.request { $0.headers[.ifNoneMatch] = "\"b\"" }])
    #expect(try await server.connection(below: [below]).get("a").status == .notModified)
  }

  @Test func `a 304 to an unconditional request does not confirm a response without validator`() async throws {
    server.answer([.cacheControl: "max-age=10"], times: 1)
    server.answer([.cacheControl: "max-age=10"], status: .notModified)
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.get().status == .notModified)
  }

  @Test(arguments: [([.vary: "Accept"], [:]), ([:], [.vary: "Accept"])] as [(HTTPFields, HTTPFields)])
  func `a 304 confirms nothing if middleware below changed the Vary fields`(
    first: HTTPFields, second: HTTPFields
  ) async throws {
    server.answer(([.cacheControl: "max-age=1", .eTag: "\"a\""] as HTTPFields).merging(first), times: 1)
    server.answer(([.eTag: "\"a\""] as HTTPFields).merging(second), status: .notModified, times: 1)
    server.answer([.cacheControl: "max-age=1"])
    try await server.get()
    server.advance(by: 1)
    let below = Interceptors([.request { $0.headers[.accept] = "a/b" }])
    let response = try await server.connection(below: [below]).get("a")
    #expect(try await response.body.utf8Text() == "body 3" && response.cacheResult?.outcome == .miss)
    #expect(server.sent(.ifNoneMatch) == [nil, "\"a\"", nil])
  }

  @Test func `RFC 9111 5.2.1.5: a request with no-store keeps the stale response unchanged`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\""], times: 1)
    server.answer([:], status: .notModified, times: 1)
    server.answer([.cacheControl: "max-age=10", .eTag: "\"b\""])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look(headers: [.cacheControl: "no-store"]) == "body 1, revalidated, not stored (no-store)")
    #expect(try await server.look(headers: [.cacheControl: "no-store"]) == "body 3, miss, not stored (no-store)")
    #expect(server.sent(.ifNoneMatch) == [nil, "\"a\"", "\"a\""])
    #expect(try await server.look(mode: .preferCached) == "body 1, stale (requested)")
  }

  // MARK: 3.2, 4.3.4

  @Test func `RFC 9111 3.2: a 304 updates the fields, except those of the encoding and the connection`() async throws {
    var first: HTTPFields = [
      .cacheControl: "max-age=10", .eTag: "\"a\"", .contentType: "a/b", .contentLength: "6", .age: "5",
      .date: CachedServer.date(0),
    ]
    var second: HTTPFields = [
      .cacheControl: "max-age=20", .eTag: "\"a\"", .contentType: "c/d", .contentLength: "0", .contentEncoding: "x",
      .connection: "x-hop", .setCookie: "a=b",
    ]
    try first.set(name: "X-Count", value: "1")
    for (name, value) in [("X-Count", "2"), ("X-New", "3"), ("X-Hop", "4")] { try second.set(name: name, value: value) }
    server.answer(first, times: 1)
    server.answer(second, status: .notModified, times: 1)
    try await server.get()
    server.advance(by: 10)
    let validated = try await server.get()
    #expect(validated.status == .ok && validated.headers[.setCookie] == "a=b" && validated.headers[.age] == nil)
    let hit = try await server.get()
    #expect(hit.headers["X-Count"] == "2" && hit.headers["X-New"] == "3" && hit.headers["X-Hop"] == nil)
    #expect(hit.headers[.contentType] == "a/b" && hit.headers[.contentLength] == "6" && hit.headers[.contentEncoding] == nil)
    #expect(hit.headers[.setCookie] == nil && hit.headers[.age] == "0" && hit.headers[.date] == nil)
    server.advance(by: 19)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test func `RFC 9111 3.2: a 304 with no-store removes the response that it confirms`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\""], times: 1)
    server.answer([.cacheControl: "no-store"], status: .notModified)
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 1, revalidated, not stored (no-store)")
    #expect(try await server.get(mode: .onlyIfCached).status == .gatewayTimeout)
  }

  @Test(arguments: [("\"a\"", "\"b\""), ("W/\"a\"", "\"b\""), ("", "\"b\"")])
  func `RFC 9111 4.3.4: after a 304 with another validator an unconditional request is sent`(tags: (String, String)) async throws
  {
    let date = CachedServer.date(-1000)
    server.answer([.cacheControl: "max-age=10", .eTag: tags.0, .lastModified: date], times: 1)
    server.answer([.eTag: tags.1], status: .notModified, times: 1)
    server.answer([.cacheControl: "max-age=10", .eTag: tags.1])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 3, miss, stored")
    #expect(server.sent(.ifModifiedSince) == [nil, date, nil] && server.count == 3)
  }

  @Test(arguments: [("W/\"a\"", "\"a\""), ("\"a\"", "W/\"a\""), ("W/\"a\"", "W/\"a\"")])
  func `RFC 9110 8.8.3.2: ETags are compared weakly`(tags: (String, String)) async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: tags.0], times: 1)
    server.answer([.eTag: tags.1], status: .notModified)
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 1, revalidated, stored")
    // A weak comparison does not make the ETag strong.
    #expect(try await server.get(mode: .preferCached).headers[.eTag] == tags.0)
  }

  @Test func `RFC 9111 4.3.4: a 304 with another date and no ETag describes another response`() async throws {
    server.answer([.cacheControl: "max-age=10", .lastModified: CachedServer.date(-9)], times: 1)
    server.answer([.lastModified: CachedServer.date(-5)], status: .notModified, times: 1)
    server.answer([.cacheControl: "max-age=10"])
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 3, miss, stored")
    #expect(server.sent(.ifModifiedSince) == [nil, CachedServer.date(-9), nil])
  }

  @Test func `a response that is evicted during its validation is still returned`() async throws {
    let store = MemoryCache()
    let server = CachedServer(store: store)
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\""], times: 1)
    server.answer { request in
      store.removeAll()
      return Response(status: .notModified, url: request.url)
    }
    try await server.get()
    server.advance(by: 10)
    #expect(try await server.look() == "body 1, revalidated, not stored (superseded meanwhile)")
  }

  // MARK: 4.3.5, HEAD

  @Test func `RFC 9111 4: a stored GET satisfies a HEAD, which stores nothing`() async throws {
    server.answer([.cacheControl: "max-age=60", .contentLength: "6"])
    #expect(try await server.send(.head).cacheResult == CacheResult(.miss, .notStored(.method)))
    try await server.get()
    let head = try await server.send(.head)
    #expect(head.cacheResult?.outcome == .hit && head.body.isEmpty && head.headers[.contentLength] == "6")
    // Also for middleware above.
    let bodies = Log<Bool>()
    let outer = MiddlewareClosure { request, next in
      let response = try await next(request)
      bodies.append(response.body.isEmpty)
      return response
    }
    _ = try await server.connection([outer]).head("a")
    #expect(bodies.elements == [true])
    #expect(server.count == 2)
  }

  @Test func `RFC 9111 4.3.5: a HEAD updates the stored GET that it describes`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\"", .contentLength: "6"])
    try await server.get()
    server.advance(by: 10)
    _ = try await server.send(.head)
    server.advance(by: 9)
    #expect(try await server.look() == "body 1, hit")
    #expect(server.sent(.ifNoneMatch) == [nil, nil])
  }

  @Test(
    arguments: [
      ([.eTag: "\"a\""], [.eTag: "\"a\"", .contentLength: "6"]), ([.eTag: "W/\"a\""], [.eTag: "\"a\""]),
      ([.eTag: "\"a\""], [.eTag: "W/\"a\""]),
    ] as [(HTTPFields, HTTPFields)])
  func `RFC 9111 4.3.5: an unknown length and a weak ETag contradict nothing`(stored: HTTPFields, head: HTTPFields)
    async throws
  {
    server.answer(([.cacheControl: "max-age=10"] as HTTPFields).merging(stored), times: 1)
    server.answer(([.cacheControl: "max-age=10"] as HTTPFields).merging(head))
    try await server.get()
    server.advance(by: 10)
    _ = try await server.send(.head)
    server.advance(by: 9)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test(arguments: ["6", "7"])
  func `RFC 9111 4.3.5: a HEAD without a validator does not update the stored GET; one of another length removes it`(
    length: String
  ) async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\"", .contentLength: "6"], times: 1)
    server.answer([.cacheControl: "max-age=100", .contentLength: length])
    try await server.get()
    server.advance(by: 10)
    _ = try await server.send(.head)
    let left = length == "6" ? "body 1, stale (requested)" : "body 3, miss, stored"
    #expect(try await server.look(mode: .preferCached) == left)
  }

  @Test func `a HEAD response of another URL does not affect the stored GET`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\""], times: 1)
    let other = try #require(URL(string: "http://host/b"))
    server.answer { _ in Response(status: .ok, headers: [.cacheControl: "max-age=100", .eTag: "\"a\""], url: other) }
    try await server.get()
    server.advance(by: 10)
    _ = try await server.send(.head)
    #expect(try await server.look(mode: .preferCached) == "body 1, stale (requested)")
  }

  @Test func `a HEAD with credentials added below does not affect the stored GET`() async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\"", .contentLength: "6"])
    try await server.get()
    server.advance(by: 10)
    let below = Interceptors([.request { $0.headers[.authorization] = "Bearer another" }])
    let connection = try server.connection(below: [below])
    _ = try await connection.head("a")
    server.advance(by: 9)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [
    HTTPFields([HTTPField(name: .eTag, value: "\"b\"")]),
    [.eTag: "\"a\"", .contentLength: "7"], [.eTag: "\"a\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"],
  ])
  func `RFC 9111 4.3.5: a HEAD removes the stored GET that it does not describe`(fields: HTTPFields) async throws {
    server.answer([.cacheControl: "max-age=10", .eTag: "\"a\"", .contentLength: "6"], times: 1)
    server.answer(fields)
    try await server.get()
    server.advance(by: 10)
    _ = try await server.send(.head)
    #expect(try await server.get(mode: .onlyIfCached).status == .gatewayTimeout)
  }

  // MARK: 4.4

  @Test func `RFC 9111 4.4: a write whose response fails in a layer below removes the stored response`() async throws {
    for status in [HTTPResponse.Status.ok, .seeOther] {
      let server = CachedServer()
      server.answer([.cacheControl: "max-age=3600"], times: 1)
      server.answer(times: 1) { Response(status: status, body: .stream(Pieces("long")), url: $0.url) }
      server.answer([:])
      let connection = try server.connection(below: [.retry(retries: 0), .statusValidation])
      _ = try await connection.get("a")
      await #expect(throws: (any Error).self) { try await connection.post("a") { $0.options.maximumBodySize = 1 } }
      #expect(try await connection.get("a").cacheResult?.outcome == .miss)
    }
  }

  @Test func `RFC 9111 4.4: a write that a layer below redirects removes the stored responses of both URLs`() async throws {
    let server = CachedServer()
    server.mock.stub(times: 1) {
      $0.method == .post && $0.url.path() == "/a"
    } respond: {
      Response(status: .temporaryRedirect, headers: [.location: "/b"], url: $0.url)
    }
    server.answer([.cacheControl: "max-age=3600"])
    let connection = try server.connection(below: [.redirects()])
    for path in ["a", "b"] { _ = try await connection.get(path) }
    _ = try await connection.post("a")
    for path in ["a", "b"] { #expect(try await connection.get(path).cacheResult?.outcome == .miss) }
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "PURGE"])
  func `RFC 9111 4.4: an unsafe or unknown method removes the stored responses of the URL for all users`(name: String)
    async throws
  {
    let method = try #require(HTTPRequest.Method(name))
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"])
    try await server.get(headers: [.accept: "a/b"])
    try await server.get(headers: [.authorization: "one"])
    try await server.get("b")
    _ = try await server.send(method, "a#fragment")
    #expect(try await server.get(headers: [.accept: "a/b"]).cacheResult?.outcome == .miss)
    #expect(try await server.get(headers: [.authorization: "one"]).cacheResult?.outcome == .miss)
    #expect(try await server.get("b").cacheResult?.outcome == .hit)
  }

  @Test(arguments: [200, 204, 303, 307])
  func `RFC 9111 4.4: a successful response or redirect invalidates`(code: Int) async throws {
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer([:], status: HTTPResponse.Status(code: code))
    try await server.get()
    _ = try await server.send(.post)
    #expect(try await server.get(mode: .onlyIfCached).status == .gatewayTimeout)
  }

  @Test func `RFC 9111 4.4: the URL in Location is normalized before invalidation`() async throws {
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer([.location: "HTTP://HOST:80/b#x"], status: .created)
    try await server.get("b")
    _ = try await server.send(.post)
    #expect(try await server.get("b", mode: .onlyIfCached).status == .gatewayTimeout)
  }

  @Test(arguments: [400, 404, 500])
  func `RFC 9111 4.4: an error invalidates nothing`(code: Int) async throws {
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer([:], status: HTTPResponse.Status(code: code))
    try await server.get()
    _ = try await server.send(.post)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test func `RFC 9111 4.4: same-origin Location and Content-Location are invalidated too`() async throws {
    let urls = ["http://host/b", "http://host/c", "http://other/b", "http://host:81/b", "https://host/b"]
    for (location, contentLocation) in [("b", "/c"), ("http://other/b", "//other/b"), ("http://host:81/b", "https://host/b")] {
      server.answer([.cacheControl: "max-age=60"], times: urls.count)
      for url in urls { try await server.get(url, mode: .reload) }
      server.answer([.location: location, .contentLocation: contentLocation], status: .created, times: 1)
      _ = try await server.send(.post)
      let left = try await urls.asyncFilter { try await server.get($0, mode: .onlyIfCached).status == .ok }
      #expect(left == (location == "b" ? Array(urls.dropFirst(2)) : urls))
    }
  }

  @Test func `a response requested before an invalidation is not stored after it`() async throws {
    for isKnown in [false, true] {
      let server = CachedServer()
      if isKnown {
        server.answer([.cacheControl: "max-age=1"], times: 1)
        try await server.get()
        server.advance(by: 1)
      }
      server.answer(times: 1) { request in
        _ = try await server.send(.delete)
        return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: "old", url: request.url)
      }
      server.answer([.cacheControl: "max-age=60"])
      #expect(try await server.look() == "old, miss, not stored (superseded meanwhile)")
      #expect(try await server.get().cacheResult?.outcome == .miss)
    }
  }

  @Test func `a response stored before an invalidation is not revived by a new response`() async throws {
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"])
    try await server.get(headers: [.accept: "a/a"])
    _ = try await server.send(.post)
    try await server.get(headers: [.accept: "b/b"])
    #expect(try await server.look(headers: [.accept: "a/a"]) == "body 4, miss, stored")
  }
}

extension HTTPFields {
  fileprivate func merging(_ other: HTTPFields) -> HTTPFields { HTTPFields(Array(self) + Array(other)) }
}

extension Sequence {
  fileprivate func asyncFilter(_ isIncluded: (Element) async throws -> Bool) async rethrows -> [Element] {
    var kept: [Element] = []
    for element in self where try await isIncluded(element) { kept.append(element) }
    return kept
  }
}
