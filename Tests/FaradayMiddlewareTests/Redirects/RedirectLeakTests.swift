import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestServers
import TestSupport
import Testing

/// The headers that the next server received, by the kind of redirect and the secret.
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

  /// The URL of the first request, and the redirect target.
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
    if secret == .connectionHeader { try connection.headers.set(name: secret.rawValue, value: Self.secret) }
    var query: QueryParameters = ["status": "307"]
    query.append(name: "url", value: target)
    target = "redirect-to?\(query)"
    let response = try await connection.get(target) { request in
      switch secret {
      case .authorization: try request.headers.authorize(Credentials("Basic " + Self.secret))
      case .cookie, .proxyAuthorization, .declared, .proof: try request.headers.set(name: secret.rawValue, value: Self.secret)
      case .connectionHeader, .middleware, .refreshed, .userInURL: break
      }
    }
    #expect(response.redirects.count == 1)
    return try await Inspected(response)
  }

  @Test(arguments: Step.allCases, Secret.allCases)
  func `libcurl never sends secrets cross-origin`(step: Step, secret: Secret) async throws {
    let seen = try await received(secret, after: step, CurlAdapter())
    #expect(seen.headers.contains { $0[1].contains(Self.secret) } == step.staysHome, "\(seen.headers)")
  }

  @Test(arguments: Step.withoutTLS, Secret.allCases.filter { $0 != .userInURL })
  func `URLSession never sends secrets cross-origin`(step: Step, secret: Secret) async throws {
    let seen = try await received(secret, after: step, TestedAdapter.urlSession.adapter)
    #expect(seen.headers.contains { $0[1].contains(Self.secret) } == step.staysHome, "\(seen.headers)")
  }

  @Test func `a redirect back to the first origin does not restore secrets`() async throws {
    var back: QueryParameters = [:]
    back.append(name: "url", value: first.url + "/inspect")
    var there: QueryParameters = [:]
    there.append(name: "url", value: second.url + "/redirect-to?\(back)")
    let connection = try Connection(
      first.url + "/", headers: ["Cookie": "a=1"], adapter: CurlAdapter(),
      middleware: [.redirects(), .authorization(.bearer("token"))])
    let seen = try await Inspected(try await connection.get("redirect-to?\(there)"))
    #expect(seen.values("Authorization").isEmpty && seen.values("Cookie").isEmpty)
  }

  @Test(arguments: ["user@127.0.0.1:80@", "user:p@ss@"])
  func `a Location with an unescaped @ in its userinfo is rejected, because its host is ambiguous`(user: String) async throws {
    var query: QueryParameters = [:]
    query.append(name: "url", value: second.url.replacing("://", with: "://" + user) + "/inspect")
    let connection = try Connection(first.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let error = await #expect(throws: RedirectError.self) { try await connection.get("redirect-to?\(query)") }
    #expect(error?.reason == .invalidLocation)
  }

  @Test func `user and password in a Location are dropped`() async throws {
    var query: QueryParameters = [:]
    query.append(name: "url", value: second.url.replacing("://", with: "://user:password@") + "/inspect")
    let connection = try Connection(first.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let response = try await connection.get("redirect-to?\(query)")
    #expect(response.url.absoluteString == second.url + "/inspect")
    #expect(try await Inspected(response).values("Authorization").isEmpty)
  }

  @Test func `the connection's default headers stay with its origin`() async throws {
    var query: QueryParameters = [:]
    query.append(name: "url", value: second.url + "/inspect")
    let connection = try Connection(
      first.url + "/", headers: ["X-Mine": "1"], adapter: CurlAdapter(), middleware: [.redirects()])
    #expect(try await Inspected(connection.get("inspect")).values("X-Mine") == ["1"])
    #expect(try await Inspected(connection.get("redirect-to?\(query)")).values("X-Mine").isEmpty)
    let edited = try await Inspected(connection.get { $0.url = try #require(URL(string: second.url + "/inspect")) })
    #expect(edited.values("X-Mine").isEmpty)
  }

  @Test func `the caller's Host header is sent only to the first server`() async throws {
    var query: QueryParameters = [:]
    query.append(name: "url", value: second.url + "/inspect")
    let connection = try Connection(first.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let response = try await connection.get("redirect-to?\(query)") { try $0.headers.set(name: "Host", value: "own.example") }
    #expect(try await Inspected(response).values("Host") == ["127.0.0.1:\(second.port)"])
  }

  @Test func `an absolute URL to another origin gets no credentials`() async throws {
    let connection = try Connection(
      first.url + "/", adapter: CurlAdapter(), middleware: [.authorization(.bearer("token")), .tokenRefresh { _ in "token" }])
    let seen = try await Inspected(try await connection.get(second.url + "/inspect"))
    #expect(seen.values("Authorization").isEmpty)
    let edited = try await Inspected(try await connection.get { $0.url = try #require(URL(string: second.url + "/inspect")) })
    #expect(edited.values("Authorization").isEmpty)
    let run = try await Inspected(try await connection.send(Request(second.url + "/inspect")))
    #expect(run.values("Authorization").isEmpty)
    let own = try await connection.get(second.url + "/inspect") { try $0.headers.authorize(.bearer("own")) }
    #expect(try await Inspected(own).values("Authorization") == ["Bearer own"])
  }
}
