import Faraday
import FaradayHAL
import FaradayTesting
import TestSupport
import Testing

/// Values for one server are never sent to another, wherever links lead.
@Suite struct FollowingLeakTests {
  @Test(arguments: TestedAdapter.allCases)
  func `the connection's defaults are not sent to a link's other server, nor back from there`(
    tested: TestedAdapter
  ) async throws {
    let home = try PageServer()
    let elsewhere = try PageServer(["/": #"{"_links": {"back": {"href": "\#(home.url)/back"}}}"#])
    home.add("/", #"{"_links": {"near": {"href": "/near"}}}"#)
    home.add("/near", #"{"_links": {"away": {"href": "\#(elsewhere.url)/"}}}"#)
    home.add("/back", #"{"_links": {"on": {"href": "/on"}}}"#)
    home.add("/on", "{}")
    var connection = try Connection(
      home.url + "/", headers: ["Authorization": "Bearer 1", "Accept-Language": "cy"], adapter: tested.adapter)
    let foreign = Log<Bool>()
    connection.use { request, next in
      foreign.append(request.isCrossOrigin)
      return try await next(request)
    }
    #expect(try await connection.follow("near/away/back/on").count == 5)
    #expect(home.targets == ["/", "/near", "/back", "/on"])
    #expect(home.values("Authorization") == ["Bearer 1", "Bearer 1", nil, nil])
    #expect(elsewhere.values("Authorization") == [nil])
    #expect(foreign.elements == [false, false, true, true, true])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `links of a response behind a cross-origin redirect belong to the other server`(tested: TestedAdapter) async throws {
    let home = try PageServer()
    let elsewhere = try PageServer(["/": #"{"_links": {"back": {"href": "\#(home.url)/back"}}}"#])
    home.add("/", PageServer.Page(.redirect(to: elsewhere.url + "/")))
    home.add("/back", "{}")
    let connection = try Connection(
      home.url + "/", headers: ["Authorization": "Bearer 1"], adapter: tested.adapter, middleware: [.redirects()])
    #expect(try await connection.follow("back").count == 2)
    #expect(home.values("Authorization") == ["Bearer 1", nil] && elsewhere.values("Authorization") == [nil])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `links of a response that was redirected away and back belong to the other server`(tested: TestedAdapter) async throws {
    let home = try PageServer(["/chosen": #"{"_links": {"next": {"href": "/next"}}}"#, "/next": "{}"])
    let elsewhere = try PageServer(["/": PageServer.Page(.redirect(to: home.url + "/chosen"))])
    home.add("/", PageServer.Page(.redirect(to: "/moved")))
    home.add("/moved", PageServer.Page(.redirect(to: elsewhere.url + "/")))
    let foreign = Log<Bool>()
    let connection = try Connection(
      home.url + "/", headers: ["Authorization": "Bearer 1"], adapter: tested.adapter,
      middleware: [
        .redirects(),
        .closure { request, next in
          foreign.append(request.isCrossOrigin)
          return try await next(request)
        },
      ])
    #expect(try await connection.follow("next").count == 2)
    #expect(home.targets == ["/", "/moved", "/chosen", "/next"])
    #expect(home.values("Authorization") == ["Bearer 1", "Bearer 1", nil, nil])
    #expect(foreign.elements == [false, false, true, true, true])
    // From elsewhere, home is somewhere that was led to.
    #expect(try await connection.follow("next", from: HALLink(rel: "start", href: elsewhere.url + "/")).count == 2)
    #expect(home.values("Authorization").suffix(2) == [nil, nil] && elsewhere.values("Authorization") == [nil, nil])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a same-origin redirect keeps the defaults`(tested: TestedAdapter) async throws {
    let home = try PageServer(["/new": #"{"_links": {"next": {"href": "/next"}}}"#, "/next": "{}"])
    home.add("/", PageServer.Page(.redirect(to: "/new")))
    let connection = try Connection(
      home.url + "/", headers: ["Authorization": "Bearer 1"], adapter: tested.adapter, middleware: [.redirects()])
    #expect(try await connection.follow("next").count == 2)
    #expect(home.values("Authorization") == ["Bearer 1", "Bearer 1", "Bearer 1"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the description of an error shows nothing of its response`(tested: TestedAdapter) async throws {
    let page = Response.status(.unauthorized, headers: [.setCookie: "hunter2"], body: "hunter2")
    let home = try PageServer(["/?token=hunter2": PageServer.Page(page)])
    let connection = try Connection(home.url + "/?token=hunter2", adapter: tested.adapter)
    let error = await #expect(throws: HALError.self) { try await connection.follow("next") }
    let shown = error.map { Shown.all($0) } ?? ""
    #expect(shown.contains("unexpected status 401") && !shown.contains("hunter2"), "\(shown)")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `without a base URL the first server is the trusted one`(tested: TestedAdapter) async throws {
    let elsewhere = try PageServer(["/": "{}"])
    let home = try PageServer(["/": #"{"_links": {"self": {"href": "/"}, "away": {"href": "\#(elsewhere.url)/"}}}"#])
    let connection = Connection(headers: ["Authorization": "Bearer 1"], adapter: tested.adapter)
    #expect(try await connection.follow("self/away", from: HALLink(rel: "start", href: home.url + "/")).count == 3)
    #expect(home.values("Authorization") == ["Bearer 1", "Bearer 1"] && elsewhere.values("Authorization") == [nil])
  }

  @Test(arguments: [
    ("https://a.example/2", [true, true, true]), ("/2", [true, true, true]), ("http://a.example/2", [true, true, true]),
    ("https://b.example/2", [true, false, false]), ("https://a.example:8443/2", [true, false, false]),
  ])
  func `links keep the credentials of their origin after an HSTS upgrade`(link: String, isKept: [Bool]) async throws {
    let mock = MockAdapter()
    mock.stub { request in
      let links = ["/1": link, "/2": "https://a.example/3"]
      let next = links[request.url.path()].map { #"{"_links": {"next": {"href": "\#($0)"}}}"# } ?? "{}"
      return Response(status: .ok, headers: [.contentType: "application/hal+json"], body: .text(next), url: request.url)
    }
    let store = HSTSStore()
    store.insert("a.example", includesSubdomains: false, expires: nil)
    let connection = try Connection(
      "http://a.example/1", headers: ["Authorization": "Bearer 1"], adapter: mock, middleware: [.hsts(store)])
    #expect(try await connection.follow("next/next").count == 3)
    #expect(mock.recorded.map { $0.request.headers[.authorization] != nil } == isKept)
    #expect(mock.recorded.map { !$0.request.isCrossOrigin } == isKept)
  }
}
