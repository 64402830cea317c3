import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestServers
import Testing

/// A redirect never causes an encrypted body to be sent in clear text.
@Suite struct RedirectCleartextTests {
  private let plain: LocalServer
  private let nginx: NginxServer

  init() throws {
    plain = try LocalServer()
    nginx = try NginxServer.shared.get()
  }

  private func connection(_ redirects: Redirects) throws -> Connection {
    var connection = try Connection(nginx.url + "upstream/", adapter: CurlAdapter(), middleware: [redirects])
    connection.defaults.tls.caFile = nginx.caFile
    return connection
  }

  private func path(_ status: Int, to url: String) -> String {
    "redirect-to?" + QueryParameters([.init("status", "\(status)"), .init("url", url)]).description
  }

  @Test(arguments: [307, 308], [true, false])
  func `a redirect from https to http does not send the body`(status: Int, isStreamed: Bool) async throws {
    let body: Body = isStreamed ? .stream(Once(), isReplayable: true) : "hunter2"
    let connection = try connection(Redirects())
    let error = try await #require(throws: RedirectError.self) {
      try await connection.post(path(status, to: plain.url + "/inspect"), body: body)
    }
    #expect(error.reason == .cleartextBody && error.response.status.code == status)
    #expect("\(error)".contains("https to http"))
    #expect(plain.requestCount == 0)
  }

  @Test func `a redirect from https to http is not followed by an upgrade, whose bytes follow the switch`() async throws {
    let connection = try connection(Redirects())
    let error = try await #require(throws: RedirectError.self) {
      try await connection.get(path(302, to: plain.url + "/inspect")) {
        $0.options.upgrade = Upgrade(to: "test")
        $0.options.delivery = .streamed
      }
    }
    #expect(error.reason == .cleartextBody)
    #expect(plain.requestCount == 0)
  }

  @Test func `a redirect from https to http is followed without a body, or if the caller allows it`() async throws {
    let post = try await connection(Redirects(allowsCleartextBody: true)).post(
      path(307, to: plain.url + "/inspect"), body: "hello")
    #expect(try await Inspected(post).bodyText == "hello")
    let strict = try connection(.redirects())
    #expect(try await Inspected(strict.get(path(307, to: plain.url + "/inspect"))).method == "GET")
    #expect(try await Inspected(strict.post(path(308, to: plain.url + "/inspect"))).method == "POST")
    // A 303 takes the body away.
    #expect(try await Inspected(strict.post(path(303, to: plain.url + "/inspect"), body: "hello")).bodyLength == 0)
    #expect(try await Inspected(strict.post(path(307, to: nginx.url + "upstream/inspect"), body: "hello")).bodyText == "hello")
  }

  @Test func `a body that was sent in clear text can be sent in clear text again`() async throws {
    let connection = try Connection(plain.url + "/", adapter: CurlAdapter(), middleware: [.redirects()])
    let response = try await connection.post(path(307, to: plain.url + "/inspect"), body: "hello")
    #expect(try await Inspected(response).bodyText == "hello")
  }

  @Test func `a Referer loses its path cross-origin, and is removed from https to http`() async throws {
    let referer = "\(nginx.url)private/path?token=hunter2"
    for (target, seen) in [
      (plain.url + "/inspect", []), (nginx.url.replacing("localhost", with: "127.0.0.1") + "upstream/inspect", [nginx.url]),
      (nginx.url + "upstream/inspect", [referer]),
    ] {
      let response = try await connection(Redirects()).get(path(302, to: target)) {
        $0.headers[.referer] = referer
        $0.options.tls.verifiesServer = false
      }
      #expect(try await Inspected(response).values("Referer") == seen)
    }
  }

  /// One piece, each time.
  private struct Once: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: Data? = Data("hunter2".utf8)
      mutating func next() async throws -> Data? {
        defer { rest = nil }
        return rest
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }
}
