import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// What the next server received, by where a redirect led and what the request had with it.
@Suite struct RedirectLeakTests {
  enum Step: String, CaseIterable {
    case sameOrigin = "the same origin"
    case host = "another host"
    case port = "another port"
    case upgrade = "http to https"
    case downgrade = "https to http"

    /// URLSession takes no authorities for a test's certificate.
    static let withoutTLS: [Step] = [.sameOrigin, .host, .port]
    var staysHome: Bool { self == .sameOrigin }
  }

  enum Secret: String, CaseIterable {
    case authorization = "Authorization"
    case cookie = "Cookie"
    case proxyAuthorization = "Proxy-Authorization"
    case declared = "X-Own"
    case proof = "DPoP"
    case connectionHeader = "X-Connection-Own"
    case middleware = "an authorization below"
    case refreshed = "a refreshed token below"
    case userInURL = "user and password in the URL"
  }

  private static let secret = "c2VjcmV0OnNlY3JldA=="

  private let first: LocalServer
  private let second: LocalServer
  private let nginx: NginxServer

  init() throws {
    first = try LocalServer()
    second = try LocalServer()
    nginx = try NginxServer.shared.get()
  }

  /// Where it begins, and what it is led to.
  private func way(_ step: Step) -> (start: String, target: String) {
    let plain = "http://127.0.0.1:\(first.port)/"
    switch step {
    case .sameOrigin: return (plain, "/inspect")
    case .host: return (plain, "http://localhost:\(second.port)/inspect")
    case .port: return (plain, "\(second.url)/inspect")
    case .upgrade: return (plain, nginx.url + "upstream/inspect")
    case .downgrade: return (nginx.url + "upstream/", "\(first.url)/inspect")
    }
  }

  private func received(_ secret: Secret, after step: Step, _ adapter: any Adapter) async throws -> Inspected {
    var (start, target) = way(step)
    if secret == .userInURL { start = start.replacing("://", with: "://secret:secret@") }
    var middleware: [any Middleware] = [.redirects()]
    if secret == .middleware { middleware.append(.authorization(Credentials("Basic " + Self.secret))) }
    if secret == .refreshed { middleware.append(.tokenRefresh(token: Self.secret) { _ in Self.secret }) }
    var connection = try Connection(start, adapter: adapter, middleware: middleware)
    if step == .upgrade || step == .downgrade { connection.defaults.tls.caFile = nginx.caFile }
    for name in ["X-Own", "X-Connection-Own"].compactMap({ HTTPField.Name($0) }) { connection.secrets.insert(name) }
    if secret == .connectionHeader { try connection.headers.set(secret.rawValue, Self.secret) }
    var query: QueryParameters = ["status": "307"]
    query.add("url", target)
    target = "redirect-to?\(query)"
    let response = try await connection.get(target) { request in
      switch secret {
      case .authorization: try request.headers.authorize(Credentials("Basic " + Self.secret))
      case .cookie, .proxyAuthorization, .declared, .proof: try request.headers.set(secret.rawValue, Self.secret)
      case .connectionHeader, .middleware, .refreshed, .userInURL: break
      }
    }
    #expect(response.redirects.count == 1)
    return try await Inspected(response)
  }

  @Test(arguments: Step.allCases, Secret.allCases)
  func `over libcurl, secrets stay with their origin`(step: Step, secret: Secret) async throws {
    let seen = try await received(secret, after: step, CurlAdapter())
    #expect(seen.headers.contains { $0[1].contains(Self.secret) } == step.staysHome, "\(seen.headers)")
  }

  @Test(arguments: Step.withoutTLS, Secret.allCases.filter { $0 != .userInURL })
  func `over URLSession, secrets stay with their origin`(step: Step, secret: Secret) async throws {
    let seen = try await received(secret, after: step, TestedAdapter.urlSession.adapter)
    #expect(seen.headers.contains { $0[1].contains(Self.secret) } == step.staysHome, "\(seen.headers)")
  }

  @Test func `what has left does not get its secrets back when it returns`() async throws {
    var back: QueryParameters = [:]
    back.add("url", first.url + "/inspect")
    var there: QueryParameters = [:]
    there.add("url", second.url + "/redirect-to?\(back)")
    let connection = try Connection(
      first.url + "/", headers: [.cookie: "a=1"], adapter: CurlAdapter(),
      middleware: [.redirects(), .authorization(.bearer("token"))])
    let seen = try await Inspected(try await connection.get("redirect-to?\(there)"))
    #expect(seen.values("Authorization").isEmpty && seen.values("Cookie").isEmpty)
  }

  @Test(arguments: ["user@127.0.0.1:80@", "user:p@ss@"])
  func `a Location with an unescaped @ in its userinfo is not followed, as its host is ambiguous`(user: String) async throws {
    var query: QueryParameters = [:]
    query.add("url", second.url.replacing("://", with: "://" + user) + "/inspect")
    let connection = try Connection(first.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let error = await #expect(throws: RedirectError.self) { try await connection.get("redirect-to?\(query)") }
    #expect(error?.reason == .invalidLocation)
  }

  @Test func `user and password in a Location are dropped`() async throws {
    var query: QueryParameters = [:]
    query.add("url", second.url.replacing("://", with: "://user:password@") + "/inspect")
    let connection = try Connection(first.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let response = try await connection.get("redirect-to?\(query)")
    #expect(response.url.absoluteString == second.url + "/inspect")
    #expect(try await Inspected(response).values("Authorization").isEmpty)
  }

  @Test func `what every request has of its connection stays with the connection's origin`() async throws {
    var query: QueryParameters = [:]
    query.add("url", second.url + "/inspect")
    let name = try #require(HTTPField.Name("X-Mine"))
    let connection = try Connection(
      first.url + "/", headers: [name: "1"], adapter: CurlAdapter(), middleware: [.redirects()])
    #expect(try await Inspected(connection.get("inspect")).values("X-Mine") == ["1"])
    #expect(try await Inspected(connection.get("redirect-to?\(query)")).values("X-Mine").isEmpty)
    let edited = try await Inspected(connection.get { $0.url = try #require(URL(string: second.url + "/inspect")) })
    #expect(edited.values("X-Mine").isEmpty)
  }

  @Test func `a Host of the caller's own names the first server only`() async throws {
    var query: QueryParameters = [:]
    query.add("url", second.url + "/inspect")
    let connection = try Connection(first.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let response = try await connection.get("redirect-to?\(query)") { try $0.headers.set("Host", "own.example") }
    #expect(try await Inspected(response).values("Host") == ["127.0.0.1:\(second.port)"])
  }

  @Test func `an absolute path of another origin gets no credentials either`() async throws {
    let connection = try Connection(
      first.url + "/", adapter: CurlAdapter(), middleware: [.authorization(.bearer("token")), .tokenRefresh { _ in "token" }])
    let seen = try await Inspected(try await connection.get(second.url + "/inspect"))
    #expect(seen.values("Authorization").isEmpty)
    let edited = try await Inspected(try await connection.get { $0.url = try #require(URL(string: second.url + "/inspect")) })
    #expect(edited.values("Authorization").isEmpty)
    let run = try await Inspected(try await connection.run(Request(second.url + "/inspect")))
    #expect(run.values("Authorization").isEmpty)
    let own = try await connection.get(second.url + "/inspect") { try $0.headers.authorize(.bearer("own")) }
    #expect(try await Inspected(own).values("Authorization") == ["Bearer own"])
  }
}
