import Faraday
import FaradayHAL
import FaradayTesting
import TestSupport
import Testing

@Suite struct FollowingTests {
  private let root: PageServer.Page = """
    {"_links": {"self": {"href": "/"}, "curies": [{"name": "app", "href": "https://docs.example.com/{rel}", "templated": true}],
      "app:library": {"href": "/library/"}, "app:gone": {"href": "/gone?token=hidden"}, "app:page": {"href": "/page"},
      "app:list": {"href": "/list"}, "app:bad": {"href": "/bad"}, "app:none": [],
      "app:search": {"href": "/search{?q,lang}", "templated": true}, "app:broken": {"href": "/search{?q", "templated": true},
      "app:nowhere": {"href": "http://[/"}, "app:mail": {"href": "mailto:ada@example.com"}}}
    """

  private func server() throws -> PageServer {
    try PageServer([
      "/": root,
      "/library/": """
      {"name": "Library", "_links": {"self": {"href": "/library/"}, "books": {"href": "books?page=1"}, "first": {"href": "books/1"},
         "here": {"href": ""}},
       "_embedded": {"first": {"title": "Emma", "_links": {"self": {"href": "books/1"}, "author": {"href": "../authors/2"}}},
                     "last": [{"title": "Persuasion"}, {"title": "Other"}],
                     "own": {"_links": {"self": {"href": "books/1"}}}}}
      """,
      "/library/books?page=1": #"{"count": 2}"#, "/library/books/1": #"{"title": "Emma, whole"}"#,
      "/authors/2": #"{"name": "Jane"}"#,
      "/page": PageServer.Page(.text("<html>", type: .html)),
      "/list": PageServer.Page(.text("[]", type: .json)), "/bad": #"{"_links": {"self": {"href": 1}}}"#,
      "/search?q=a%20b": #"{"found": 1}"#, "/search": #"{"found": 9}"#,
    ])
  }

  private func connection(_ tested: TestedAdapter, _ server: PageServer, _ middleware: any Middleware...) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: middleware)
  }

  // MARK: Failures

  @Test(arguments: TestedAdapter.allCases)
  func `HA-04: a missing relation is an error with the existing ones, and nothing more is requested`(
    tested: TestedAdapter
  ) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    let error = await #expect(throws: HALError.self) { try await connection.follow("app:library/no_rel/books") }
    #expect(error?.relation == "no_rel" && error?.url == server.url + "/library/")
    if case .missingRelation(let present) = error?.reason {
      #expect(present.sorted() == ["first", "here", "last", "own", "self", "books"].sorted())
    } else {
      Issue.record("\(String(describing: error))")
    }
    #expect(server.targets == ["/", "/library/"])
    #expect(error?.representations.count == 2 && error?.representations.last?.properties["name"] == "Library")
    let none = await #expect(throws: HALError.self) { try await connection.follow("app:search/x", variables: ["q": "a b"]) }
    #expect(
      none.map { "\($0)" } == "\(server.url)/search?q=a%20b: the relation \"x\" is missing; present: none")
    await #expect(throws: HALError.self) { try await connection.follow("app:none") }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a status other than 2xx is an error with its response and without secrets`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    let error = await #expect(throws: HALError.self) { try await connection.follow("app:gone") }
    #expect(error?.reason == .status(.notFound) && error?.response?.status == .notFound)
    #expect(
      error.map { "\($0)" } == "\(server.url)/gone?token=[secret]: unexpected status 404 for the relation \"app:gone\"")
    let first = await #expect(throws: HALError.self) {
      try await Connection(server.url + "/nothing", adapter: tested.adapter).follow("")
    }
    #expect(first.map { "\($0)" } == "\(server.url)/nothing: unexpected status 404")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `invalid HAL is an error with its reason`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    for (relation, path, problem) in [
      ("app:page", "", "its Content-Type is neither HAL nor JSON"), ("app:list", "", "it is not an object"),
      ("app:bad", "_links.self.href", "it is not a string"),
    ] {
      let error = await #expect(throws: HALError.self) { try await connection.follow(relation) }
      #expect(
        error?.reason == .notHAL(path: path, problem: problem) && error?.relation == relation && error?.response?.status == .ok)
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a malformed template and a missing template variable are errors`(
    tested: TestedAdapter
  ) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    for variables: [String: URITemplate.Value] in [[:], ["other": "x"]] {
      let error = await #expect(throws: HALError.self) {
        try await connection.follow("app:search", variables: variables)
      }
      #expect(
        error.map { "\($0)" }
          == "\(server.url)/: the link \"app:search\" is a template, and none of its variables has a value: q, lang")
    }
    let broken = await #expect(throws: HALError.self) { try await connection.follow("app:broken", variables: ["q": "a"]) }
    #expect(
      broken.map { "\($0)" }
        == "\(server.url)/: the link \"app:broken\": URI template: \"{?q\" at offset 7 has no closing brace")
    #expect(server.targets.allSatisfy { $0 == "/" })
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an invalid link is an error`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    let nowhere = await #expect(throws: HALError.self) { try await connection.follow("app:nowhere") }
    #expect(nowhere.map { "\($0)" } == "\(server.url)/: the link \"app:nowhere\" is not a URL")
    let mail = await #expect(throws: TransportError.self) { try await connection.follow("app:mail") }
    #expect(mail?.code == .unsupportedScheme && server.targets == ["/", "/"])
    let homeless = await #expect(throws: TransportError.self) { try await Connection(adapter: tested.adapter).follow("x") }
    #expect(homeless?.code == .invalidURL)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a middleware's error is thrown unchanged`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server, .statusValidation)
    let error = await #expect(throws: StatusError.self) { try await connection.follow("app:gone") }
    #expect(error?.status == .notFound)
  }

  // MARK: Following

  @Test(arguments: TestedAdapter.allCases)
  func `HA-03: N relations lead through N+1 representations`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server, .halDecoding)
    let library = try await connection.follow("app:library")
    #expect(library.count == 2 && library.last?.selfLink?.href == library.first?.link(for: "app:library")?.href)
    let all = try await connection.follow("app:library/books")
    #expect(all.map { $0.properties["name"] } == [nil, "Library", nil] && all.last?.properties["count"] == 2)
    #expect(server.targets == ["/", "/library/", "/", "/library/", "/library/books?page=1"])
    #expect(try await connection.follow("").count == 1)
    #expect(try await connection.follow([String]()).count == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `Accept asks for HAL even without the middleware`(tested: TestedAdapter) async throws {
    let server = try server()
    _ = try await connection(tested, server).follow("app:library")
    _ = try await connection(tested, server, .halDecoding).follow("")
    #expect(server.values("Accept") == Array(repeating: "application/hal+json, application/json", count: 3))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a link is resolved against its response, and a relation can be a URI`(tested: TestedAdapter) async throws {
    let server = try server()
    // Path joining does not apply to links.
    let connection = try Connection(server.url, joining: .append, adapter: tested.adapter)
    let uri = ["https://docs.example.com/library", "first"]
    let whole = try await connection.follow(uri, usesEmbedded: false)
    #expect(whole.last?.properties["title"] == "Emma, whole")
    #expect(try await connection.follow("app:library/here/here/books").last?.properties["count"] == 2)
    #expect(server.targets.suffix(3) == ["/library/", "/library/", "/library/books?page=1"])
  }

  @Test(arguments: TestedAdapter.allCases, [URLJoining.append, .resolve])
  func `the start is resolved against the base URL with either joining`(
    tested: TestedAdapter, joining: URLJoining
  ) async throws {
    let server = try server()
    let connection = try Connection(server.url + "/library/books", joining: joining, adapter: tested.adapter)
    for href in [server.url + "/library/", "/library/", "./", "//\(server.url.dropFirst("http://".count))/library/"] {
      let all = try await connection.follow("books", from: HALLink(rel: "self", href: href))
      #expect(all.last?.properties["count"] == 2)
    }
    let books = HALLink(rel: "books", href: "{?page}")
    #expect(try await connection.follow("", from: books, variables: ["page": 1]).last?.properties["count"] == 2)
    let served = Array(repeating: ["/library/", "/library/books?page=1"], count: 4).joined()
    #expect(server.targets == served + ["/library/books?page=1"])
    #expect(try await Connection(server.url, joining: joining, adapter: tested.adapter).follow("").count == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an embedded resource needs no request unless the caller wants one`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    let embedded = try await connection.follow("app:library/first")
    #expect(embedded.last?.properties["title"] == "Emma" && server.targets == ["/", "/library/"])
    // Its links are resolved against the response that it came in.
    #expect(try await connection.follow("app:library/first/author").last?.properties["name"] == "Jane")
    #expect(server.targets.last == "/authors/2")
    #expect(try await connection.follow("app:library/last").last?.properties["title"] == "Persuasion")
    // Without a link of that relation, its own leads to it.
    let own = try await connection.follow("app:library/own", usesEmbedded: false)
    #expect(own.last?.properties["title"] == "Emma, whole")
    await #expect(throws: HALError.self) { try await connection.follow("app:library/last", usesEmbedded: false) }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a template is expanded, also as the start`(tested: TestedAdapter) async throws {
    let server = try server()
    let connection = try connection(tested, server)
    #expect(try await connection.follow("app:search", variables: ["q": "a b"]).last?.properties["found"] == 1)
    #expect(try await connection.follow("app:search", variables: ["q": []]).last?.properties["found"] == 9)
    let search = HALLink(rel: "search", href: "search{?q}")
    #expect(try await connection.follow("", from: search, variables: ["q": "a b"]).map { $0.properties["found"] } == [1])
    let error = await #expect(throws: HALError.self) { try await connection.follow("", from: search) }
    #expect(error?.reason == .templated(variables: ["q"]) && error?.relation == "search" && error?.url == server.url + "/")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `after a redirect links are resolved against the final URL`(tested: TestedAdapter) async throws {
    let server = try server()
    server.add("/old", PageServer.Page(.redirect(to: "/library/")))
    let connection = try connection(tested, server, .redirects())
    #expect(try await connection.follow("books", from: HALLink(rel: "start", href: "/old")).last?.properties["count"] == 2)
    #expect(server.targets == ["/old", "/library/", "/library/books?page=1"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a streamed response can be followed`(tested: TestedAdapter) async throws {
    let server = try server()
    var options = Options()
    options.delivery = .streamed
    let connection = try Connection(server.url, defaults: options, adapter: tested.adapter, middleware: [.halDecoding])
    #expect(try await connection.follow("app:library/books").last?.properties["count"] == 2)
  }
}
