import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// Which responses are stored, and which of several is selected (RFC 9111, sections 3 and 4.1).
@Suite struct StoringTests {
  private let server = CachedServer()

  @Test func `RFC 9111 3: a response without lifetime and validator is not stored`() async throws {
    server.answer([:])
    #expect(try await server.look() == "body 1, miss, not stored (never fresh)")
  }

  @Test(
    arguments: [
      (200, [.cacheControl: "max-age=0, stale-while-revalidate=9"]), (200, [.cacheControl: "max-age=0, stale-if-error=9"]),
      (200, [.cacheControl: "max-age=0", .lastModified: CachedServer.date(-1)]),
      (200, [.cacheControl: "no-cache", .eTag: "\"a\""]),
      (302, [.cacheControl: "private", .eTag: "\"a\""]), (302, [.cacheControl: "max-age=9"]),
      (302, [.expires: CachedServer.date(9)]),
    ] as [(Int, HTTPFields)])
  func `RFC 9111 3: a response that is stale at once is stored if useful, and any status if explicit`(
    code: Int, fields: HTTPFields
  ) async throws {
    server.answer(fields, status: HTTPResponse.Status(code: code))
    #expect(try await server.get().cacheResult == CacheResult(.miss, .stored))
  }

  @Test(arguments: [(103, [.cacheControl: "max-age=9"]), (302, [.eTag: "\"a\""])] as [(Int, HTTPFields)])
  func `RFC 9111 3: interim responses and statuses that are not cacheable are not stored`(code: Int, fields: HTTPFields)
    async throws
  {
    server.answer(fields, status: HTTPResponse.Status(code: code))
    #expect(try await server.get().cacheResult == CacheResult(.miss, .notStored(.status)))
  }

  @Test(arguments: [32, 33]) func `RFC 9111 4.1: a Vary of more than 32 names is not stored`(count: Int) async throws {
    server.answer([.cacheControl: "max-age=60", .vary: (0..<count).map { "x-\($0)" }.joined(separator: ",")])
    #expect(try await server.get().cacheResult?.storing == (count > 32 ? .notStored(.vary) : .stored))
  }

  @Test func `a request target that is not a path bypasses the cache`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    let response = try await server.connection().get("a") { $0.options.requestTarget = .verbatim("*") }
    #expect(response.cacheResult?.outcome == .bypassed(.unusualRequest))
  }

  @Test func `a response of another URL, or to a request for another URL, is not stored`() async throws {
    let (own, other) = (try #require(URL(string: "http://host/a")), try #require(URL(string: "http://host/b")))
    server.answer { Response(status: .ok, headers: [.cacheControl: "max-age=60"], url: $0.url == own ? other : own) }
    #expect(try await server.get().cacheResult?.storing == .notStored(.changedBelow))
    let below = Interceptors([.request { $0.url = other }])
    #expect(try await server.connection(below: [below]).get("a").cacheResult?.storing == .notStored(.changedBelow))
  }

  @Test func `RFC 9111 3.3: a partial response is not stored, and a range request bypasses the cache`() async throws {
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer([.cacheControl: "max-age=60", .contentRange: "bytes 0-1/9"], status: .partialContent)
    try await server.get()
    #expect(try await server.look(headers: [.range: "bytes=0-1"]) == "body 2, bypassed (range), not stored (range)")
    #expect(try await server.look() == "body 1, hit")
    #expect(try await server.look("b") == "body 3, miss, not stored (status)")
    #expect(server.mock.recorded[1].request.headers == [.range: "bytes=0-1"])
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .options, .trace])
  func `RFC 9111 3: only responses to GET are stored`(method: HTTPRequest.Method) async throws {
    server.answer([.cacheControl: "max-age=60"])
    #expect(try await server.send(method).cacheResult == CacheResult(.bypassed(.method), .notStored(.method)))
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange])
  func `RFC 9111 4.3.2: a caller's precondition is evaluated by the server`(name: HTTPField.Name) async throws {
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer([:], status: .notModified)
    try await server.get()
    let response = try await server.get(headers: [name: "\"x\""])
    #expect(response.status == .notModified && response.cacheResult?.outcome == .bypassed(.precondition))
    #expect(try await server.look() == "body 1, hit")
  }

  @Test func `a GET with a body bypasses the cache`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    let connection = try server.connection()
    let response = try await connection.send(connection.request(.get, "a", body: "query"))
    #expect(response.cacheResult?.outcome == .bypassed(.unusualRequest))
  }

  @Test func `RFC 9111 3.1: connection fields and cookies are not stored`() async throws {
    var fields: HTTPFields = [.cacheControl: "max-age=60", .connection: "x-hop, close", .setCookie: "a=b", .contentType: "a/b"]
    for name in ["Keep-Alive", "X-Hop", "Proxy-Authenticate", "TE"] { try fields.set(name: name, value: "1") }
    server.answer(fields)
    #expect(try await server.get().headers[.setCookie] == "a=b")
    let hit = try await server.get()
    #expect(Set(hit.headers.map(\.name)) == [.cacheControl, .contentType, .age])
  }

  @Test(
    arguments: [
      [.connection: "cache-control", .cacheControl: "no-store", .expires: CachedServer.date(100)],
      [.connection: "vary", .vary: "*", .cacheControl: "max-age=60"],
    ] as [HTTPFields])
  func `RFC 9110 7.6.1: Connection cannot hide a directive that forbids storing`(fields: HTTPFields) async throws {
    server.answer(fields)
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  // MARK: 4.1, Vary

  @Test func `RFC 9111 4.1: a response matches requests with the same values of its Vary fields`() async throws {
    server.answer([.cacheControl: "max-age=60", .vary: "Accept-Language"])
    #expect(try await server.look(headers: [.acceptLanguage: "de"]) == "body 1, miss, stored")
    #expect(try await server.look(headers: [.acceptLanguage: "en"]) == "body 2, miss, stored")
    #expect(try await server.look() == "body 3, miss, stored")
    #expect(try await server.look(headers: [.acceptLanguage: "de"]) == "body 1, hit")
    #expect(try await server.look(headers: [.acceptLanguage: " en\t"]) == "body 2, hit")
    #expect(try await server.look(headers: [.userAgent: "x"]) == "body 3, hit")
    #expect(try await server.look(headers: [.acceptLanguage: ""]) == "body 4, miss, stored")
  }

  @Test func `RFC 9111 4.1: repeated fields are compared as one with commas`() async throws {
    server.answer([.cacheControl: "max-age=60", .vary: "accept"])
    var twice: HTTPFields = [.accept: "a/b"]
    twice.append(HTTPField(name: .accept, value: "c/d"))
    try await server.get(headers: twice)
    #expect(try await server.look(headers: [.accept: "a/b, c/d"]) == "body 1, hit")
  }

  @Test(arguments: ["*", "accept, *", "a b", "accept, \"x\"", "{}", "accept;q=1"])
  func `RFC 9111 4.1: a response whose Vary is an asterisk or invalid is not stored`(vary: String) async throws {
    server.answer([.cacheControl: "max-age=60", .vary: vary])
    #expect(try await server.look() == "body 1, miss, not stored (vary)")
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 4.1: a response with a matching Vary is preferred to a newer one without`() async throws {
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"], times: 1)
    server.answer([.cacheControl: "max-age=60"], times: 1)
    try await server.get(headers: [.accept: "a/a"])
    server.advance(by: 1)
    try await server.get(headers: [.accept: "b/b"])
    #expect(try await server.look(headers: [.accept: "a/a"]) == "body 1, hit")
    #expect(try await server.look(headers: [.accept: "c/c"]) == "body 2, hit")
  }

  @Test func `RFC 9111 4.1: old Vary fields of a URL are forgotten`() async throws {
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"], times: 1)
    server.answer([.cacheControl: "max-age=60"])
    try await server.get(headers: [.accept: "a/a"])
    server.advance(by: 60)
    try await server.get(headers: [.accept: "a/a"])
    #expect(try await server.look(headers: [.accept: "a/a"]) == "body 2, hit")
  }

  @Test func `RFC 9111 4.1: several Vary fields count as one`() async throws {
    var fields: HTTPFields = [.cacheControl: "max-age=60"]
    for name in ["Accept", "Accept-Language"] { fields.append(HTTPField(name: .vary, value: name)) }
    server.answer(fields)
    try await server.get(headers: [.accept: "a/a", .acceptLanguage: "de"])
    #expect(try await server.get(headers: [.accept: "a/a", .acceptLanguage: "en"]).cacheResult?.outcome == .miss)
    fields.append(HTTPField(name: .vary, value: "*"))
    let other = CachedServer()
    other.answer(fields)
    #expect(try await other.get().cacheResult?.storing == .notStored(.vary))
  }

  @Test func `RFC 9111 2: the key is the URL with query, without fragment, letter case of the host and default port`()
    async throws
  {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get("http://host/a?b=1")
    #expect(try await server.look("HTTP://HOST:80/a?b=1#c") == "body 1, hit")
    for other in ["http://host/a", "http://host/a?b=2", "http://host/A?b=1", "https://host/a?b=1", "http://host:81/a?b=1"] {
      #expect(try await server.get(other).cacheResult?.outcome == .miss)
    }
    try await server.get("http://host")
    #expect(try await server.get("http://host/").cacheResult?.outcome == .hit)
  }

  // MARK: Users

  @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "Host", "X-Tenant"])
  func `RFC 9111 3.5: a response to one credential is not returned to another, nor without one`(name: String) async throws {
    server.answer([.cacheControl: "public, max-age=60"])
    var connection = try server.connection()
    connection.secrets.insert("X-Tenant")
    let look = { [connection] (value: String?) in
      let response = try await connection.get("a") { if let value { try $0.headers.set(name: name, value: value) } }
      return try await response.body.utf8Text()
    }
    #expect(
      try await [look("one"), look("two"), look(nil), look("one"), look("two"), look(nil)]
        == ["body 1", "body 2", "body 3", "body 1", "body 2", "body 3"])
  }

  @Test func `the URL's user, and options that select the server, separate responses`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    let connection = try server.connection()
    let (one, two) = (CertificateVerifier { _, _ in true }, CertificateVerifier { _, _ in false })
    let edits: [@Sendable (inout Request) -> Void] = [
      { _ in }, { $0.options.tls.verifier = one }, { $0.options.tls.verifier = two },
      { ($0.options.tls.verifiesServer, $0.options.tls.verifier) = (false, two) },
      { $0.options.tls.verifiesServer = false }, { $0.options.tls.caCertificates = Data([1]) },
      { $0.options.tls.caCertificates = Data([2]) }, { $0.options.network.unixSocket = "/a" },
      { $0.options.network.hostOverrides = [HostOverride("host", addresses: ["::1"])] }, { $0.options.proxy = .direct },
      { $0.options.proxy = .proxy(Proxy(.http, host: "proxy", user: "a", password: "b")) },
      { $0.options.proxy = .proxy(Proxy(.http, host: "proxy", user: "a", password: "c")) },
      { $0.options.authentication = TransportAuthentication(user: "a", password: "b", schemes: .any) },
      { $0.options.authentication = TransportAuthentication(user: "a", password: "c", schemes: .any) },
      { $0.options.addressPolicy = .publicOnly }, { $0.options.decompression = .standard },
      { $0.options.tls.clientCertificate = .pem(.file("/a")) }, { $0.options.tls.clientCertificate = .pem(.file("/b")) },
    ]
    var bodies: [String] = []
    for _ in 0..<2 {
      for edit in edits { bodies.append(try await connection.get("a", edit: edit).body.utf8Text()) }
    }
    bodies.append(try await connection.get("http://user:pw@host/a").body.utf8Text())
    bodies.append(try await connection.get("http://user:px@host/a").body.utf8Text())
    let first = (1...edits.count).map { "body \($0)" }
    #expect(bodies == first + first + ["body \(edits.count + 1)", "body \(edits.count + 2)"])
  }

  @Test func `a response is not stored if middleware below changes credentials, URL or Vary fields`() async throws {
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"])
    let changes: [@Sendable (inout Request) -> Void] = [
      { $0.headers[.authorization] = "Bearer one" }, { $0.headers[.cookie] = "a=b" }, { $0.headers[.accept] = "a/b" },
      { $0.url = URL(string: "http://other/")! }, { $0.method = .post },
      { $0.options.authentication = TransportAuthentication(user: "a", password: "b", schemes: .any) },
      { $0.options.proxy = .proxy(Proxy(.http, host: "tenant")) }, { $0.options.network.unixSocket = "/tenant" },
      { $0.options.network.connectTo = [ConnectTo(toHost: "tenant")] }, { $0.options.tls.caFile = "/tenant" },
    ]
    for change in changes {
      let below = Interceptors([.request { change(&$0) }])
      let connection = try server.connection(below: [below])
      #expect(try await connection.get("a").cacheResult?.storing == .notStored(.changedBelow))
      #expect(try await connection.get("a").cacheResult?.outcome == .miss)
    }
  }

  @Test func `other fields from below are harmless, and decoded bodies are stored without their coding`() async throws {
    server.answer([.cacheControl: "max-age=60", .contentEncoding: "identity", .contentLength: "6"])
    let connection = try server.connection(below: [.requestID, .userAgent("x"), .contentDecoding])
    #expect(try await connection.get("a").cacheResult?.storing == .stored)
    let hit = try await connection.get("a")
    #expect(hit.cacheResult?.outcome == .hit && hit.headers[.contentEncoding] == nil && hit.headers[.contentLength] == nil)
  }
}
