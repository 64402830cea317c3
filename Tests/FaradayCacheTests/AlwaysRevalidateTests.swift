import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct AlwaysRevalidateTests {
  private let mock = MockAdapter()
  private let memory = MemoryCache()

  private func connection(_ middleware: any Middleware...) throws -> Connection {
    try Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)] + middleware)
  }

  /// Answers 304 to a request with a precondition, and otherwise 200 with these fields and a count for its body.
  private func stub(_ headers: HTTPFields, notModified fields: HTTPFields = [:]) {
    let count = Log<Int>()
    mock.stub { _ in
      true
    } respond: { request in
      if request.headers.contains(.ifNoneMatch) || request.headers.contains(.ifModifiedSince) {
        return Response(status: .notModified, headers: fields, url: request.url)
      }
      count.append(1)
      return Response(status: .ok, headers: headers, body: .text("body \(count.elements.count)"), url: request.url)
    }
  }

  private func sent(_ name: HTTPField.Name) -> [String?] { mock.recorded.map { $0.request.headers[name] } }

  // MARK: over a server

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a 304 returns the stored response`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try MockServer(
      .text("Hello", type: MediaType("text", "plain"), headers: HTTPFields(checking: ["ETag": "\"one\"", "X-Count": "1"])),
      .status(.notModified, headers: HTTPFields(checking: ["ETag": "\"one\"", "X-Count": "2"])))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cache(policy: .alwaysRevalidate)])
    #expect(try await connection.get("a").text() == "Hello")
    let again = try await delivery.get("a", over: connection)
    #expect(again.text == "Hello" && again.response.status == .ok)
    #expect(again.response.headers["X-Count"] == "2" && again.response.headers[.contentType] == "text/plain")
    #expect(server.recorded.map { $0.headers[.ifNoneMatch] } == [nil, "\"one\""])
  }

  // MARK: validators

  @Test func `Last-Modified is the validator if there is no ETag`() async throws {
    stub([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"])
    let connection = try connection()
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 1"])
    #expect(sent(.ifModifiedSince) == [nil, "Sun, 06 Nov 1994 08:49:37 GMT"] && sent(.ifNoneMatch) == [nil, nil])
  }

  @Test(arguments: ["*", "one", "\"a\", \"b\"", "\"a", "\"a\"b\"", ""])
  func `a malformed ETag is not sent`(tag: String) async throws {
    stub([.eTag: tag])
    let connection = try connection()
    _ = try await [connection.get(), connection.get()]
    #expect(sent(.ifNoneMatch) == [nil, nil] && memory.count == 0)
  }

  @Test func `a weak ETag is sent unchanged`() async throws {
    stub([.eTag: "W/\"one\""], notModified: [.eTag: "\"one\""])
    let connection = try connection()
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 1"])
    #expect(sent(.ifNoneMatch) == [nil, "W/\"one\""])
  }

  @Test func `a changed response replaces the stored one`() async throws {
    let tags = Log<Int>()
    mock.stub { _ in
      true
    } respond: { request in
      let known = request.headers[.ifNoneMatch]
      if known == "\"2\"" { return Response(status: .notModified, url: request.url) }
      tags.append(1)
      let tag = tags.elements.count
      return Response(status: .ok, headers: [.eTag: "\"\(tag)\""], body: .text("\(tag)"), url: request.url)
    }
    let connection = try connection()
    var bodies: [String] = []
    for _ in 1...3 { bodies.append(try await connection.get().text()) }
    #expect(bodies == ["1", "2", "2"] && sent(.ifNoneMatch) == [nil, "\"1\"", "\"2\""])
  }

  @Test func `a 304 with a different ETag is rejected, and the request is sent again`() async throws {
    stub([.eTag: "\"one\""], notModified: [.eTag: "\"other\""])
    let connection = try connection()
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 2"])
    #expect(sent(.ifNoneMatch) == [nil, "\"one\"", nil])
  }

  @Test func `a 304 updates the header fields, except connection fields and body framing`() async throws {
    stub(
      [.eTag: "\"one\"", .contentLength: "6", .contentType: "text/plain", .age: "1"],
      notModified: [
        .age: "2", .contentLength: "0", .contentEncoding: "gzip", .connection: "x-hop", HTTPField.Name("X-Hop")!: "1",
        .expires: "0",
      ])
    let connection = try connection()
    _ = try await connection.get()
    for _ in 1...2 {
      let response = try await connection.get()
      #expect(response.headers[.age] == "2" && response.headers[.expires] == "0" && response.headers[.contentLength] == "6")
      #expect(response.headers[.contentEncoding] == nil && response.headers["X-Hop"] == nil)
      #expect(response.headers[.contentType] == "text/plain")
    }
  }

  // MARK: requests and responses that are not stored

  @Test func `a 304 to the caller's own precondition is returned to the caller`() async throws {
    stub([.eTag: "\"one\""])
    let connection = try connection()
    _ = try await connection.get()
    #expect(try await connection.get(headers: ["If-None-Match": "\"one\""]).status == .notModified)
    #expect(try await connection.get(headers: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]).status == .notModified)
    _ = try await connection.get(headers: ["If-Match": "\"one\""])
    _ = try await connection.get(headers: ["Range": "bytes=0-1"])
    #expect(sent(.ifNoneMatch) == [nil, "\"one\"", nil, nil, nil])
    // Nor one that somebody below has asked for.
    let below = try self.connection(
      .closure { request, next in
        var request = request
        request.headers[.ifNoneMatch] = "\"below\""
        return try await next(request)
      })
    #expect(try await below.get().status == .notModified)
  }

  @Test(
    arguments: [
      (200, [.eTag: "\"a\"", .cacheControl: "private, No-Store"]), (200, [.eTag: "\"a\"", .vary: "Accept, *"]), (200, [:]),
      (201, [.eTag: "\"a\""]), (206, [.eTag: "\"a\""]), (404, [.eTag: "\"a\""]),
    ] as [(Int, HTTPFields)])
  func `responses that must not be stored are not stored`(code: Int, headers: HTTPFields) async throws {
    mock.stub { _ in
      true
    } respond: {
      Response(status: HTTPResponse.Status(code: code), headers: headers, body: "a", url: $0.url)
    }
    let connection = try connection()
    _ = try await [connection.get(), connection.get()]
    #expect(sent(.ifNoneMatch) == [nil, nil] && memory.count == 0)
  }

  @Test func `no-store of a request, other methods, and requests with a body store nothing`() async throws {
    stub([.eTag: "\"one\""])
    let connection = try connection()
    _ = try await connection.get(headers: ["Cache-Control": "no-store"])
    _ = try await connection.post(body: "a")
    _ = try await connection.head()
    _ = try await connection.send(.get, body: "a")
    _ = try await connection.get()
    #expect(sent(.ifNoneMatch) == Array(repeating: nil, count: 5))
  }

  @Test func `no-store of a 304 removes the stored response`() async throws {
    stub([.eTag: "\"one\""], notModified: [.cacheControl: "no-store"])
    let connection = try connection()
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 1"])
    _ = try await connection.get()
    #expect(sent(.ifNoneMatch) == [nil, "\"one\"", nil])
  }

  @Test(arguments: [TestedDelivery.streamed, .callback])
  func `a streamed response is stored when it has been read to its end`(delivery: TestedDelivery) async throws {
    stub([.eTag: "\"one\""])
    let connection = try connection()
    for _ in 1...2 { #expect(try await delivery.get("", over: connection).text == "body 1") }
    #expect(sent(.ifNoneMatch) == [nil, "\"one\""])
  }

  // MARK: credentials and selecting fields

  @Test(arguments: ["Authorization", "Cookie", "X-Api-Key"])
  func `a stored response is not returned for other credentials`(name: String) async throws {
    stub([.eTag: "\"one\""])
    let connection = try connection()
    var bodies: [String] = []
    for value in ["a", "b", "a"] { bodies.append(try await connection.get(headers: [name: value]).text()) }
    #expect(bodies == ["body 1", "body 2", "body 1"] && sent(.ifNoneMatch) == [nil, nil, "\"one\""])
  }

  @Test func `a response to credentials that were added below is not stored`() async throws {
    stub([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"])
    let tokens = Log<Int>()
    let authorization = Authorization { _ in
      tokens.append(1)
      return .bearer("\(tokens.elements.count)")
    }
    let connection = try connection(authorization)
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 2"])
    #expect(sent(.ifModifiedSince) == [nil, nil])
  }

  @Test func `a stored response is returned only for the same values of the fields in Vary`() async throws {
    stub([.eTag: "\"one\"", .vary: "Accept-Language, X-A"])
    let connection = try connection()
    var bodies: [String] = []
    for language in ["cy", "en", "en"] { bodies.append(try await connection.get(headers: ["Accept-Language": language]).text()) }
    #expect(bodies == ["body 1", "body 2", "body 2"] && sent(.ifNoneMatch) == [nil, nil, "\"one\""])
    _ = try await connection.get("other", headers: ["Accept-Language": "en"])
    #expect(sent(.ifNoneMatch).last == .some(nil))
  }

  @Test func `a 304 of a redirect to a new URL does not confirm the response of the old one`() async throws {
    let hops = Log<Int>()
    mock.stub {
      $0.url.path() == "/"
    } respond: { request in
      hops.append(1)
      let target: HTTPFields = [.location: "/\(hops.elements.count)"]
      return Response(status: .found, headers: target, url: request.url)
    }
    stub([.eTag: "\"one\""])
    let connection = try connection(.redirects())
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 2"])
  }

  // MARK: responses that a layer below returns without sending the request

  @Test func `a response that a middleware below has created is not stored`() async throws {
    let own = MiddlewareClosure { request, _ in
      Response(status: .ok, headers: [.eTag: "\"one\""], body: .text("own"), url: request.url)
    }
    #expect(try await connection(own).get().text() == "own")
    #expect(memory.count == 0 && mock.recorded.isEmpty)
  }

  @Test func `a 304 that a middleware below has created confirms the stored response`() async throws {
    stub([.eTag: "\"one\""])
    let notModified = MiddlewareClosure { request, next in
      guard request.headers.contains(.ifNoneMatch) else { return try await next(request) }
      return Response(status: .notModified, url: request.url)
    }
    let connection = try connection(notModified)
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 1"])
    #expect(mock.recorded.count == 1)
  }

  @Test(arguments: [true, false])
  func `the body of a 304 is discarded, whether it confirms the stored response or not`(confirms: Bool) async throws {
    let reads = Log<Int>()
    mock.stub { request in
      guard request.headers.contains(.ifNoneMatch) else {
        return Response(status: .ok, headers: [.eTag: "\"one\""], url: request.url)
      }
      let pieces = AsyncStream<Data>(unfolding: {
        reads.append(1)
        return nil
      })
      let tag = confirms ? "\"one\"" : "\"two\""
      return Response(status: .notModified, headers: [.eTag: tag], body: .stream(pieces), url: request.url)
    }
    let connection = try connection()
    for _ in 1...2 { #expect(try await connection.get().status == .ok) }
    #expect(reads.elements.count == 1 && mock.recorded.count == (confirms ? 2 : 3))
  }

  // MARK: limits

  /// The size of the records of one URL with this response.
  private func recordSize(_ body: Data) async throws -> Int {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, headers: [.eTag: "\"one\""], body: .data(body), url: $0.url) }
    let memory = MemoryCache()
    _ = try await Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)]).get("a")
    return memory.size
  }

  @Test func `the store evicts the least recently used responses, and its description has nothing of them`() async throws {
    stub([.eTag: "\"one\""])
    let memory = MemoryCache(maximumSize: try await recordSize(Data("body 1".utf8)) * 9 / 4)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)])
    for path in ["a", "b", "a", "c", "a", "b"] { _ = try await connection.get(path) }
    #expect(sent(.ifNoneMatch).map { $0 != nil } == [false, false, true, false, true, false])
    #expect(memory.count == 4 && Shown.all(memory).contains("4 records") && !Shown.all(memory).contains("body"))
    memory.removeAll()
    _ = try await connection.get("a")
    #expect(sent(.ifNoneMatch).last == .some(nil))
    for small in [MemoryCache(maximumSize: 500), MemoryCache(maximumSize: 0), MemoryCache(maximumSize: -1)] {
      let connection = try Connection("http://host/", adapter: mock, middleware: [.cache(in: small, policy: .alwaysRevalidate)])
      _ = try await connection.get("a")
      #expect(small.count == 0)
    }
  }

  @Test func `the size of the store is limited`() async throws {
    mock.stub { Response(status: .ok, headers: [.eTag: "\"one\""], body: .data(Data(count: 4000)), url: $0.url) }
    let memory = MemoryCache(maximumSize: try await recordSize(Data(count: 4000)) * 9 / 4, maximumEntrySize: 4000)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)])
    for path in ["a", "b", "c", "d", "d", "a"] {
      _ = try await connection.get(path)
      #expect(memory.size <= memory.maximumSize)
    }
    #expect(sent(.ifNoneMatch) == [nil, nil, nil, nil, "\"one\"", nil])
  }

  @Test func `a replaced response no longer counts in the size of the store`() async throws {
    let body = Data(count: 4000)
    let answers = Log<Int>()
    mock.stub { request in
      answers.append(1)
      let tag = "\"\(answers.elements.count)\""
      return Response(status: .ok, headers: [.eTag: tag], body: .data(body), url: request.url)
    }
    let size = try await recordSize(body)
    let memory = MemoryCache(maximumSize: size * 9 / 4, maximumEntrySize: size)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)])
    for path in ["a", "b", "b", "b", "b", "a"] { _ = try await connection.get(path) }
    #expect(sent(.ifNoneMatch) == [nil, nil, "\"2\"", "\"3\"", "\"4\"", "\"1\""])
  }

  @Test func `a response over the maximum size evicts no other`() async throws {
    mock.stub { request in
      let size = request.url.path() == "/large" ? 9_900 : 100
      return Response(status: .ok, headers: [.eTag: "\"one\""], body: .data(Data(count: size)), url: request.url)
    }
    let memory = MemoryCache(maximumSize: 10_000, maximumEntrySize: 10_000)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)])
    for path in ["a", "large", "a"] { _ = try await connection.get(path) }
    #expect(sent(.ifNoneMatch) == [nil, nil, "\"one\""])
  }

  // MARK: nothing is returned without asking

  @Test(arguments: [
    ["max-age=60"], ["max-age=60, immutable"], ["max-age=0, stale-while-revalidate=60"], ["max-age=0, stale-if-error=60"],
  ])
  func `a fresh or stale response is returned only after a 304`(cacheControl: [String]) async throws {
    stub([.eTag: "\"one\"", .cacheControl: cacheControl[0]])
    let connection = try connection()
    for mode in [CacheMode.automatic, .automatic, .preferCached] {
      #expect(try await connection.get { $0.options.cache = mode }.text() == "body 1")
    }
    #expect(sent(.ifNoneMatch) == [nil, "\"one\"", "\"one\""])
    #expect(try await connection.get { $0.options.cache = .onlyIfCached }.status == .gatewayTimeout)
    #expect(mock.recorded.count == 3)
  }

  @Test func `a server error is returned, whatever stale-if-error allows`() async throws {
    let answers = Log<Int>()
    mock.stub { request in
      answers.append(1)
      let status: HTTPResponse.Status = answers.elements.count == 1 ? .ok : .serviceUnavailable
      return Response(status: status, headers: [.eTag: "\"one\"", .cacheControl: "stale-if-error=60"], url: request.url)
    }
    let connection = try connection()
    _ = try await connection.get()
    #expect(try await connection.get(headers: ["Cache-Control": "stale-if-error=60"]).status == .serviceUnavailable)
  }
}
