@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// The defaults of a connection are sent only to its server, whatever middleware does with the request.
@Suite struct CrossOriginRequestTests {
  @Test func `credentials of a connection's defaults are sent only to its origin`() throws {
    var defaults = Options()
    defaults.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .basic)
    defaults.tls.clientCertificate = .pem(.file("client.pem"))
    defaults.tls.caFile = "ca.pem"
    var connection = try Connection("https://api.example/v1/", defaults: defaults, adapter: MockAdapter())
    func credentials(_ url: String, edit: (inout Request) -> Void = { _ in }) throws -> [Bool] {
      let request = try connection.request(.get, try #require(URL(string: url)), edit: edit)
      #expect(request.options.tls.caFile == "ca.pem")
      return [request.options.authentication != nil, request.options.tls.clientCertificate != nil]
    }
    #expect(try credentials("https://api.example/v2") == [true, true])
    for other in ["https://evil.example/", "http://api.example/", "https://api.example:444/"] {
      #expect(try credentials(other) == [false, false], "\(other)")
    }
    // The caller's own fields stay.
    #expect(try credentials("https://other.example/") { $0.options.authentication = defaults.authentication } == [true, false])
    // A URL that the caller changes is also cross-origin: the defaults are removed.
    let evil = try #require(URL(string: "https://evil.example/"))
    #expect(try credentials("https://api.example/v2") { $0.url = evil } == [false, false])
    let own = TransportAuthentication(user: "own", password: "own", schemes: .basic)
    #expect(
      try credentials("https://api.example/v2") {
        $0.url = evil
        $0.options.authentication = own
      } == [true, false])
    connection.treatAllRequestsAsCrossOrigin()
    #expect(try credentials("https://api.example/v2") == [false, false])
    var request = try Request("https://api.example/")
    request.options = defaults
    request.becomeCrossOrigin()
    #expect(request.options.authentication == nil && request.options.tls.clientCertificate == nil)
  }

  @Test func `default credentials are not sent where a middleware redirects`() async throws {
    var defaults = Options()
    defaults.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .basic)
    defaults.tls.clientCertificate = .pem(.file("client.pem"))
    let away = try away()
    let leading = MiddlewareClosure { request, next in
      var request = request
      request.url = away
      return try await next(request)
    }
    let connection = try Connection("http://home/", defaults: defaults, adapter: mock, middleware: [leading])
    _ = try await connection.get()
    let sent = try #require(mock.recorded.last?.request)
    #expect(sent.options.authentication == nil && sent.options.tls.clientCertificate == nil && sent.isCrossOrigin)
  }

  private let mock = MockAdapter()
  private let key = HTTPField(name: .from, value: "hunter2")

  init() { mock.stub { Response(status: .ok, url: $0.url) } }

  private func connection(_ middleware: any Middleware...) throws -> Connection {
    try Connection(
      "http://home/", headers: ["Authorization": "Bearer hunter2", key.name.rawName: key.value, "Accept": "a/b"], adapter: mock,
      middleware: middleware)
  }

  private func away() throws -> URL { try #require(URL(string: "http://away/")) }

  /// The fields that left, of the last request, without the `User-Agent`, which goes to every origin.
  private var sent: [HTTPField] { mock.recorded.last.map { own($0.request) } ?? [] }

  private func own(_ request: Request) -> [HTTPField] { request.headers.filter { $0.name != .userAgent } }

  private var wasCrossOrigin: Bool? { mock.recorded.last?.request.isCrossOrigin }

  @Test(arguments: [false, true])
  func `replacing the options keeps the connection's private state`(isLater: Bool) async throws {
    let connection = try connection()
    let away = try away()
    let slow = Options()
    if isLater {
      var request = try connection.request(.get) { $0.options = slow }
      #expect(!request.isCrossOrigin)
      request.url = away
      _ = try await connection.send(request)
    } else {
      _ = try await connection.get {
        $0.options = slow
        $0.url = away
      }
    }
    #expect(sent.isEmpty && wasCrossOrigin == true)
  }

  @Test func `a request that a middleware creates anew keeps the connection's state`() async throws {
    let away = try away()
    let foreign = Log<Bool>()
    let connection = try connection(
      .closure { request, next in try await next(Request(.get, url: away, headers: request.headers)) },
      .closure { request, next in
        foreign.append(request.isCrossOrigin)
        return try await next(Request(.get, url: request.url, headers: request.headers))
      })
    _ = try await connection.get()
    #expect(foreign.elements == [true])
    #expect(sent.isEmpty && wasCrossOrigin == true)
  }

  @Test func `a middleware that redirects cross-origin loses the connection's fields`() async throws {
    let away = try away()
    let connection = try connection(
      .closure { request, next in
        var request = request
        request.url = away
        request.headers[.accept] = "c/d"
        return try await next(request)
      })
    _ = try await connection.get()
    #expect(sent == [HTTPField(name: .accept, value: "c/d")] && wasCrossOrigin == true)
  }

  @Test func `a cross-origin request stays cross-origin when recreated or sent back`() async throws {
    let home = try #require(URL(string: "http://home/"))
    let connection = try connection(
      .closure { request, next in
        var request = request
        request.becomeCrossOrigin()
        return try await next(request)
      },
      .closure { _, next in try await next(Request(url: home)) })
    _ = try await connection.get()
    #expect(wasCrossOrigin == true)
  }

  @Test func `an earlier copy of a request is cross-origin if it is sent after a cross-origin hop`() async throws {
    let before = Log<Request>()
    let connection = try connection(
      .closure { request, next in
        before.append(request)
        var left = request
        left.becomeCrossOrigin()
        return try await next(left)
      },
      .closure { _, next in try await next(before.elements[0]) })
    _ = try await connection.get()
    #expect(wasCrossOrigin == true)
  }

  @Test func `a secret field with the value of a default is removed cross-origin`() throws {
    var request = try connection().request(.get)
    request.setOriginBoundHeaders([.expires: "hunter2", .accept: "c/d"])
    #expect(request.headers[.accept] == "c/d")
    request.becomeCrossOrigin()
    #expect(own(request).isEmpty)
  }

  @Test func `the caller's own fields are sent where the caller sends them`() async throws {
    let connection = try connection()
    _ = try await connection.get("http://away/") { $0.headers[.authorization] = "Bearer hunter2" }
    #expect(sent == [HTTPField(name: .authorization, value: "Bearer hunter2")] && wasCrossOrigin == true)
    _ = try await connection.send(Request("http://away/", headers: [.authorization: "Bearer other"]))
    #expect(sent == [HTTPField(name: .authorization, value: "Bearer other")] && wasCrossOrigin == true)
    let away = try away()
    _ = try await connection.get {
      $0.url = away
      $0.headers[.authorization] = "Bearer other"
    }
    #expect(sent == [HTTPField(name: .authorization, value: "Bearer other")])
  }

  @Test(arguments: ["http://home/x", "http://HOME:80/x", "http://home", "http://home?x", "http://home#x", "http://u@home/x"])
  func `every spelling of the origin's URL is same-origin`(url: String) throws {
    let request = try connection().request(.get, url)
    #expect(!request.isCrossOrigin && own(request).count == 3)
  }

  @Test(arguments: [
    "http://home.example/", "http://home@away/", "http://home:81/", "https://home/", "http://homer/", #"http://home\@away/"#,
  ])
  func `a URL that only starts like the origin is cross-origin`(url: String) throws {
    let request = try? connection().request(.get, url)
    #expect(request?.isCrossOrigin != false)
    #expect(request.map(own)?.isEmpty != false)
  }

  @Test func `without a base URL every origin is allowed, and a redirect away loses the fields`() async throws {
    var connection = Connection(headers: ["Authorization": "Bearer hunter2", key.name.rawName: key.value], adapter: mock)
    var request = try connection.request(.get, "http://any/")
    #expect(!request.isCrossOrigin && own(request).count == 2)
    request.url = try away()
    request.becomeCrossOrigin()
    #expect(request.isCrossOrigin && own(request).isEmpty)
    connection.treatAllRequestsAsCrossOrigin()
    #expect(try connection.request(.get, "http://any/").isCrossOrigin)
  }

  @Test func `a request of another connection keeps the secrets of both from other origins`() async throws {
    var other = try Connection("http://away/", headers: ["Expires": "hunter2"], adapter: mock)
    other.secrets.insert("own")
    other.secrets.remove(ending: "token")
    other.secrets.remove("mine")
    var connection = try connection()
    connection.secrets.insert("mine")
    connection.secrets.insert(path: "/bot{token}")
    _ = try await connection.send(other.request(.get, "bot1?own=1&token=2&mine=3"))
    let request = try #require(mock.recorded.last?.request)
    let shown = "GET http://away/bot[secret]?own=[secret]&token=[secret]&mine=[secret] (2 headers, 0 bytes)"
    #expect(request.isCrossOrigin && "\(request)" == shown)
  }

  // MARK: redirects

  @Test(arguments: [
    ("https://a/x?y#z", "https://b/", "https://a/"), ("http://a:81/x", "https://b/", "http://a:81/"),
    ("http://u:p@a/x", "http://b/", "http://a/"), ("https://a/x", "http://b/", nil), ("nonsense", "http://b/", nil),
    ("/x", "http://b/", nil), ("about:blank", "http://b/", nil), ("ftp://a/x", "http://b/", nil), ("http:///x", "http://b/", nil),
  ])
  func `a cross-origin Referer has no path, and none is sent from https to http`(
    referer: String, target: String, kept: String?
  ) throws {
    var request = try Request(.get, target, headers: [.referer: referer])
    request.becomeCrossOrigin()
    #expect(request.headers[.referer] == kept)
  }

  @Test func `Host, credentials and registered secrets do not cross origins`() throws {
    let names = [
      "Host", "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Own", "Accept", "Idempotency-Key",
    ]
    var connection = try Connection("http://home/", adapter: mock)
    connection.secrets.insert("x-own")
    connection.secrets.remove("Authorization", "Cookie", "Proxy-Authorization")
    var request = try connection.request(.get) { for name in names { try $0.headers.set(name: name, value: "1") } }
    request.becomeCrossOrigin()
    #expect(own(request).map(\.name.rawName) == ["Accept", "Idempotency-Key"])
  }

  @Test func `a value added to a secret default field does not send it cross-origin`() async throws {
    let away = try away()
    let connection = try Connection(
      "http://home/", headers: ["Cookie": "sid=hunter2"], adapter: mock,
      middleware: [
        .closure { request, next in
          var request = request
          request.headers[fields: .cookie] = [HTTPField(name: .cookie, value: "sid=hunter2; own=1")]
          return try await next(request)
        },
        .closure { request, next in
          var request = request
          request.url = away
          return try await next(request)
        },
      ])
    _ = try await connection.get()
    #expect(sent.isEmpty && wasCrossOrigin == true)
  }
}
