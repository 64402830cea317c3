import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The middleware: to which requests it adds what.
@Suite struct NetrcTests {
  private let netrc = """
    machine home login ada password one
    machine home login bob password two
    machine away login carl password three
    default login dora password five
    """

  /// What each request was sent with.
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

  @Test func `a login that Basic cannot send is an error without the password, and nothing is sent`() async throws {
    let error = await #expect(throws: InvalidHeader.self) { try await sent("http://h/", "machine h login a:b password hunter2") }
    #expect(error.map { !Shown.all($0).contains("hunter2") } == true)
  }

  @Test func `the request's own credentials, and a password in the URL, go first`() async throws {
    #expect(try await sent("http://home/", own: "Bearer own") == ["Bearer own"])
    #expect(try await sent("http://ada:own@home/") == [nil])
  }

  @Test func `a login of the request's options goes first`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection("http://home/", adapter: mock, middleware: [.netrc(text: "default login ada password x")])
    _ = try await connection.get { $0.options.authentication = Authentication(user: "bob", password: "y", schemes: .digest) }
    #expect(mock.recorded.last?.request.headers[.authorization] == nil)
  }

  @Test func `the entry of the host is sent, or that of the login in the URL, or the default`() async throws {
    #expect(try await sent("http://HOME:8080/") == [basic("ada:one")])
    #expect(try await sent("http://bob@home/") == [basic("bob:two")])
    #expect(try await sent("http://eve@home/") == [nil])
    #expect(try await sent("http://elsewhere/") == [basic("dora:five")])
    #expect(try await sent("http://home.elsewhere/", "machine home password x") == [nil])
  }

  @Test func `a redirect to another host gets that host's entry, never the first one's or the default`() async throws {
    #expect(try await sent("https://home/", location: "https://away/") == [basic("ada:one"), basic("carl:three")])
    #expect(try await sent("https://home/", location: "https://elsewhere/") == [basic("ada:one"), nil])
    #expect(try await sent("https://elsewhere/", location: "https://other/") == [basic("dora:five"), nil])
  }

  @Test func `a redirect to another host over http gets nothing`() async throws {
    #expect(try await sent("https://home/", location: "http://away/") == [basic("ada:one"), nil])
    #expect(try await sent("https://home/", location: "http://home/") == [basic("ada:one"), nil])
    #expect(try await sent("http://home/", location: "http://home/b") == [basic("ada:one"), basic("ada:one")])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a server is convinced`(tested: TestedAdapter) async throws {
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
