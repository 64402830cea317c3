import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The middleware: which credentials it adds to which requests.
@Suite struct NetrcTests {
  private let netrc = """
    machine home login ada password one
    machine home login bob password two
    machine away login carl password three
    default login dora password five
    """

  /// The credentials that each request was sent with.
  private func sent(_ url: String, _ netrc: String? = nil, location: String? = nil, own: String? = nil) async throws -> [String?]
  {
    let mock = MockAdapter()
    if let location {
      mock.stub(times: 1) { Response(status: .found, headers: [.location: location], url: $0.url) }
    }
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection(url, adapter: mock, middleware: [.redirects(), .netrc(text: netrc ?? self.netrc)])
    _ = try await connection.get { if let own { $0.headers[.authorization] = own } }
    return mock.recorded.map { $0.request.headers[.authorization] }
  }

  private func basic(_ login: String) -> String { "Basic " + Data(login.utf8).base64EncodedString() }

  @Test func `a login that Basic cannot encode fails before anything is sent, without showing the password`() async throws {
    let error = await #expect(throws: InvalidValueError.self) {
      try await sent("http://h/", "machine h login a:b password hunter2")
    }
    #expect(error.map { !Shown.all($0).contains("hunter2") } == true)
  }

  @Test func `with challenge schemes the adapter authenticates, and no header is added`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    var netrc = try Netrc(text: netrc)
    netrc.schemes = .digest
    let connection = try Connection("http://home/", adapter: mock, middleware: [netrc])
    _ = try await connection.get()
    let sent = try #require(mock.recorded.first?.request)
    #expect(sent.options.authentication == TransportAuthentication(user: "ada", password: "one", schemes: .digest))
    #expect(sent.headers[.authorization] == nil)
  }

  @Test func `the request's credentials and a password in the URL take precedence`() async throws {
    #expect(try await sent("http://home/", own: "Bearer own") == ["Bearer own"])
    #expect(try await sent("http://ada:own@home/") == [nil])
  }

  @Test func `a login in the request's options takes precedence`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection("http://home/", adapter: mock, middleware: [.netrc(text: "default login ada password x")])
    _ = try await connection.get {
      $0.options.authentication = TransportAuthentication(user: "bob", password: "y", schemes: .digest)
    }
    #expect(mock.recorded.last?.request.headers[.authorization] == nil)
  }

  @Test func `the entry of the host, of the URL's login or the default entry is sent`() async throws {
    #expect(try await sent("http://HOME:8080/") == [basic("ada:one")])
    #expect(try await sent("http://bob@home/") == [basic("bob:two")])
    #expect(try await sent("http://eve@home/") == [nil])
    #expect(try await sent("http://elsewhere/") == [basic("dora:five")])
    #expect(try await sent("http://home.elsewhere/", "machine home password x") == [nil])
  }

  @Test func `a redirect to another host uses only that host's entry`() async throws {
    #expect(try await sent("https://home/", location: "https://away/") == [basic("ada:one"), basic("carl:three")])
    #expect(try await sent("https://home/", location: "https://elsewhere/") == [basic("ada:one"), nil])
    #expect(try await sent("https://elsewhere/", location: "https://other/") == [basic("dora:five"), nil])
  }

  @Test func `a redirect to another host over http gets no credentials`() async throws {
    #expect(try await sent("https://home/", location: "http://away/") == [basic("ada:one"), nil])
    #expect(try await sent("https://home/", location: "http://home/") == [basic("ada:one"), nil])
    #expect(try await sent("http://home/", location: "http://home/b") == [basic("ada:one"), basic("ada:one")])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a real server accepts the credentials`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let host = try #require(URL(string: server.url)?.host())
    let connection = try Connection(
      server.url, adapter: tested.adapter, middleware: [.netrc(text: "machine \(host) login ada password love")])
    #expect(try await connection.get("/basic-auth/ada/love").status == .ok)
    #expect(try await connection.get("/basic-auth/ada/hate").status == .unauthorized)
    let named = server.url.replacing("://", with: "://ada@") + "/basic-auth/ada/love"
    #expect(try await connection.get(named).status == .ok)
  }
}
