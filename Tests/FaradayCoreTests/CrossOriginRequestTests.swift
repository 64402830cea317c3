import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// What a connection puts on a request stays with the connection's server, whatever is made of the request on its way.
@Suite struct CrossOriginRequestTests {
  @Test func `credentials of a connection's defaults are for its own origin`() throws {
    var defaults = Options()
    defaults.authentication = Authentication(user: "ada", password: "secret", schemes: .basic)
    defaults.tls.clientCertificate = .pem(.file("client.pem"))
    defaults.tls.caFile = "ca.pem"
    var connection = try Connection("https://api.example/v1/", defaults: defaults, adapter: MockAdapter())
    func credentials(_ url: String, edit: (inout Request) -> Void = { _ in }) throws -> [Bool] {
      let request = try connection.request(.get, url: try #require(URL(string: url)), edit: edit)
      #expect(request.options.tls.caFile == "ca.pem")
      return [request.options.authentication != nil, request.options.tls.clientCertificate != nil]
    }
    #expect(try credentials("https://api.example/v2") == [true, true])
    for other in ["https://evil.example/", "http://api.example/", "https://api.example:444/"] {
      #expect(try credentials(other) == [false, false], "\(other)")
    }
    // What the caller sets for this request is the caller's.
    #expect(try credentials("https://other.example/") { $0.options.authentication = defaults.authentication } == [true, false])
    // So is a URL that the caller changes: it goes without what the defaults had put there.
    let evil = try #require(URL(string: "https://evil.example/"))
    #expect(try credentials("https://api.example/v2") { $0.url = evil } == [false, false])
    let own = Authentication(user: "own", password: "own", schemes: .basic)
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

  @Test func `credentials of defaults do not go where a middleware leads`() async throws {
    var defaults = Options()
    defaults.authentication = Authentication(user: "ada", password: "secret", schemes: .basic)
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
      "http://home/", headers: [.authorization: "Bearer hunter2", key.name: key.value, .accept: "a/b"], adapter: mock,
      middleware: middleware)
  }

  private func away() throws -> URL { try #require(URL(string: "http://away/")) }

  /// The fields that left, of the last request, without the `User-Agent`, which goes to every origin.
  private var sent: [HTTPField] { mock.recorded.last.map { own($0.request) } ?? [] }

  private func own(_ request: Request) -> [HTTPField] { request.headers.filter { $0.name != .userAgent } }

  private var wasCrossOrigin: Bool? { mock.recorded.last?.request.isCrossOrigin }

  @Test(arguments: [false, true])
  func `replacing the options whole takes nothing from what the connection knows`(isLater: Bool) async throws {
    let connection = try connection()
    let away = try away()
    let slow = Options()
    if isLater {
      var request = try connection.request(.get) { $0.options = slow }
      #expect(!request.isCrossOrigin)
      request.url = away
      _ = try await connection.run(request)
    } else {
      _ = try await connection.get {
        $0.options = slow
        $0.url = away
      }
    }
    #expect(sent.isEmpty && wasCrossOrigin == true)
  }

  @Test func `a request that a middleware makes anew has what the one before it had`() async throws {
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

  @Test func `a middleware that leads a request to another server leads it there without its connection's fields`() async throws {
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

  @Test func `what has left its origin stays foreign, also anew and on its way back`() async throws {
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

  @Test func `a request from before it left is foreign too where it is sent after`() async throws {
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

  @Test func `fields that are for the connection's server like its own leave with them`() throws {
    var request = try connection().request(.get)
    request.setOriginBoundHeaders([.expires: "hunter2", .accept: "c/d"])
    #expect(request.headers[.accept] == "c/d")
    request.becomeCrossOrigin()
    #expect(own(request).isEmpty)
  }

  @Test func `a caller's own fields go where the caller sends them`() async throws {
    let connection = try connection()
    _ = try await connection.get("http://away/") { $0.headers[.authorization] = "Bearer hunter2" }
    #expect(sent == [HTTPField(name: .authorization, value: "Bearer hunter2")] && wasCrossOrigin == true)
    _ = try await connection.run(Request("http://away/", headers: [.authorization: "Bearer other"]))
    #expect(sent == [HTTPField(name: .authorization, value: "Bearer other")] && wasCrossOrigin == true)
    let away = try away()
    _ = try await connection.get {
      $0.url = away
      $0.headers[.authorization] = "Bearer other"
    }
    #expect(sent == [HTTPField(name: .authorization, value: "Bearer other")])
  }

  @Test(arguments: ["http://home/x", "http://HOME:80/x", "http://home", "http://home?x", "http://home#x", "http://u@home/x"])
  func `a URL of the home's origin is home, however it is written`(url: String) throws {
    let request = try connection().request(.get, url)
    #expect(!request.isCrossOrigin && own(request).count == 3)
  }

  @Test(arguments: [
    "http://home.example/", "http://home@away/", "http://home:81/", "https://home/", "http://homer/", #"http://home\@away/"#,
  ])
  func `a URL that begins like home and is not is foreign`(url: String) throws {
    let request = try? connection().request(.get, url)
    #expect(request?.isCrossOrigin != false)
    #expect(request.map(own)?.isEmpty != false)
  }

  @Test func `a connection without a URL is at home everywhere, and its fields stay where a redirect leaves from`() async throws {
    var connection = Connection(headers: [.authorization: "Bearer hunter2", key.name: key.value], adapter: mock)
    var request = try connection.request(.get, "http://any/")
    #expect(!request.isCrossOrigin && own(request).count == 2)
    request.url = try away()
    request.becomeCrossOrigin()
    #expect(request.isCrossOrigin && own(request).isEmpty)
    connection.treatAllRequestsAsCrossOrigin()
    #expect(try connection.request(.get, "http://any/").isCrossOrigin)
  }

  @Test func `a request of another connection keeps back what either does`() async throws {
    var other = try Connection("http://away/", headers: [.expires: "hunter2"], adapter: mock)
    other.secrets.insert("own")
    other.secrets.remove(ending: "token")
    other.secrets.remove("mine")
    var connection = try connection()
    connection.secrets.insert("mine")
    connection.secrets.insert(path: "/bot{token}")
    _ = try await connection.run(other.request(.get, "bot1?own=1&token=2&mine=3"))
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
  func `a Referer crosses origins without its path, and not from https to http`(
    referer: String, target: String, kept: String?
  ) throws {
    var request = try Request(.get, target, headers: [.referer: referer])
    request.becomeCrossOrigin()
    #expect(request.headers[.referer] == kept)
  }

  @Test func `Host, credentials and what the registry names do not cross origins`() throws {
    let names = [
      "Host", "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Own", "Accept", "Idempotency-Key",
    ]
    var connection = try Connection("http://home/", adapter: mock)
    connection.secrets.insert("x-own")
    connection.secrets.remove("Authorization", "Cookie", "Proxy-Authorization")
    var request = try connection.request(.get) { for name in names { try $0.headers.set(name, "1") } }
    request.becomeCrossOrigin()
    #expect(own(request).map(\.name.rawName) == ["Accept", "Idempotency-Key"])
  }

  @Test func `what is added to a secret field of the connection does not take it along to another server`() async throws {
    let away = try away()
    let connection = try Connection(
      "http://home/", headers: [.cookie: "sid=hunter2"], adapter: mock,
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
