import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayMiddleware

/// The middleware: what it changes, and from what it learns.
@Suite struct HSTSTests {
  private let store = HSTSStore()
  private let mock = MockAdapter()

  private func answer(_ headers: HTTPFields = [:], times: Int = .max, status: HTTPResponse.Status = .ok) {
    mock.stub(times: times) { Response(status: status, headers: headers, url: $0.url) }
  }

  private var urls: [String] { mock.recorded.map { $0.request.url.absoluteString } }

  @Test func `nothing is learned from a server that was not verified, or over http`() async throws {
    answer([.strictTransportSecurity: "max-age=10"])
    let connection = Connection(adapter: mock, middleware: [.hsts(store)])
    _ = try await connection.get("https://a.example/") { $0.options.tls.verifiesServer = false }
    _ = try await connection.get("http://a.example/")
    #expect(store.entries.isEmpty)
    _ = try await connection.get("https://a.example/")
    #expect(store.entries.map(\.host) == ["a.example"])
  }

  @Test(arguments: [
    "bank%E3%80%82example", "bank%EF%BC%8Eexample", "bank%EF%BD%A1example", "%EF%BD%82%EF%BD%81nk.example", "ba%C2%ADnk.example",
    "ba%E2%80%8Dnk.example", "b%C3%BCcher.example", "B%C3%9CCHER.Example.", "BANK.Example", "bank.example.", "bank%2Eexample",
  ])
  func `however a known host is spelled, nothing is sent to it in clear`(host: String) async throws {
    for known in ["bank.example", "xn--bcher-kva.example"] {
      store.insert(known, includesSubdomains: false, expires: nil)
    }
    // As an adapter does before it sends anything.
    mock.stub { request in
      try Capabilities.all.check(request)
      return Response(status: .ok, url: request.url)
    }
    let url = try #require(URL(string: "http://\(host)/"))
    do {
      _ = try await Connection(adapter: mock, middleware: [.hsts(store)]).run(Request(url: url))
      #expect(urls.allSatisfy { $0.hasPrefix("https://") }, "\(urls)")
    } catch let error as TransportError {
      #expect(error.code == .invalidURL)
    }
  }

  @Test func `of several fields the first counts`() async throws {
    var headers = HTTPFields()
    for value in ["nonsense", "max-age=10"] { headers.append(HTTPField(name: .strictTransportSecurity, value: value)) }
    answer(headers)
    _ = try await Connection(adapter: mock, middleware: [.hsts(store)]).get("https://a.example/")
    #expect(store.entries.isEmpty)
  }

  @Test func `a known host is asked over https, also where a redirect leads to it`() async throws {
    store.insert("a.example", includesSubdomains: true, expires: nil)
    answer([.location: "http://b.a.example:8080/two"], times: 1, status: .found)
    answer()
    let connection = Connection(adapter: mock, middleware: [.redirects(), .hsts(store)])
    let response = try await connection.get("http://a.example:80/one")
    #expect(urls == ["https://a.example/one", "https://b.a.example:8080/two"])
    #expect(response.url.absoluteString == "https://b.a.example:8080/two")
    _ = try await connection.get("http://other.example/")
    #expect(urls.last == "http://other.example/")
  }

  @Test func `the connection's header fields and credentials go along, as it is the same server`() async throws {
    store.insert("a.example", includesSubdomains: false, expires: nil)
    answer()
    var connection = try Connection(
      "http://a.example/", headers: [.accept: "text/plain"], adapter: mock,
      middleware: [.hsts(store), .authorization(.bearer("token"))])
    connection.use(.closure { request, next in try await next(request) })
    _ = try await connection.get("x")
    _ = try await connection.get("x") { $0.markSecret("x") }
    for sent in mock.recorded.map(\.request) {
      #expect(sent.url.absoluteString == "https://a.example/x" && !sent.isCrossOrigin)
      #expect(sent.headers[.authorization] == "Bearer token" && sent.headers[.accept] == "text/plain")
    }
  }

  @Test func `a cross-origin request stays one`() async throws {
    store.insert("b.example", includesSubdomains: false, expires: nil)
    answer()
    let connection = try Connection(
      "http://a.example/", headers: [.accept: "text/plain"], adapter: mock,
      middleware: [.hsts(store), .authorization(.bearer("token"))])
    _ = try await connection.get("http://b.example/")
    let sent = try #require(mock.recorded.first?.request)
    #expect(sent.url.absoluteString == "https://b.example/" && sent.isCrossOrigin && sent.headers.map(\.name) == [.userAgent])
  }

  @Test func `what is same-origin at https does not become so at http again`() async throws {
    store.insert("a.example", includesSubdomains: false, expires: nil)
    answer([.location: "http://c.example/"], times: 1, status: .found)
    answer()
    let connection = try Connection(
      "http://a.example/", headers: [.accept: "text/plain"], adapter: mock,
      middleware: [.hsts(store), .redirects(), .hsts(store), .authorization(.bearer("token"))])
    _ = try await connection.get("x")
    #expect(urls == ["https://a.example/x", "http://c.example/"])
    #expect(mock.recorded[0].request.headers[.authorization] == "Bearer token")
    #expect(mock.recorded[1].request.headers.map(\.name) == [.userAgent])
  }

  // MARK: pages

  private func pages(from first: String, _ next: [String: String], outer: [any Middleware] = []) async throws -> [Request] {
    store.insert("a.example", includesSubdomains: false, expires: nil)
    mock.stub { request in
      let link = next[request.url.absoluteString]
      return Response(status: .ok, headers: link.map { [.link: "<\($0)>; rel=next"] } ?? [:], url: request.url)
    }
    let connection = try Connection(
      first, headers: [.acceptLanguage: "cy", .authorization: "Bearer hidden"], adapter: mock, middleware: outer + [.hsts(store)])
    let options = ["X-Api-Key": "hidden"] as KeyValuePairs
    for try await _ in connection.pages(headers: options, edit: { $0.markSecret("own") }) {}
    return mock.recorded.map(\.request)
  }

  @Test(arguments: ["https://a.example/3", "/3", "http://a.example/3"])
  func `pages keep credentials and header fields behind a change to https`(link: String) async throws {
    let first = link.hasPrefix("http:") ? "http://a.example/2" : "https://a.example/2"
    let sent = try await pages(from: "http://a.example/1", ["https://a.example/1": first, "https://a.example/2": link])
    #expect(sent.map(\.url.absoluteString) == ["https://a.example/1", "https://a.example/2", "https://a.example/3"])
    for request in sent {
      #expect(request.headers[.authorization] == "Bearer hidden" && request.headers["X-Api-Key"] == "hidden")
      #expect(request.headers[.acceptLanguage] == "cy" && !request.isCrossOrigin)
    }
  }

  @Test(arguments: ["https://b.example/2", "https://a.example:8443/2", "http://b.example/2"])
  func `a link of a page behind a change to https to another origin gets no credentials`(link: String) async throws {
    let sent = try await pages(from: "http://a.example/1", ["https://a.example/1": link, link: "https://a.example/3"])
    #expect(sent.map { $0.headers[.authorization] } == ["Bearer hidden", nil, nil])
    #expect(sent.map { $0.headers["X-Api-Key"] } == ["hidden", nil, nil])
    #expect(sent.map(\.isCrossOrigin) == [false, true, true])
  }

  @Test func `the port of a changed URL counts for its pages`() async throws {
    let sent = try await pages(
      from: "http://a.example:8080/1",
      ["https://a.example:8080/1": "https://a.example:8080/2", "https://a.example:8080/2": "https://a.example/3"])
    #expect(sent.map { $0.headers[.authorization] } == ["Bearer hidden", "Bearer hidden", nil])
  }

  @Test func `pages of a host that a middleware has put in place of another get no credentials`() async throws {
    let elsewhere: any Middleware = .closure { request, next in
      guard request.url.path() == "/1" else { return try await next(request) }
      return try await next(Request("http://a.example/1"))
    }
    let sent = try await pages(
      from: "http://first.example/1", ["https://a.example/1": "https://a.example/2"], outer: [elsewhere])
    #expect(sent.map { $0.headers[.authorization] } == [nil, nil])
  }

  @Test func `a response from https that the client did not change its request to is cross-origin for pages`() async throws {
    let sent = try await pages(
      from: "http://b.example/1", ["https://b.example/2": "https://b.example/3"],
      outer: [
        .closure { request, next in
          guard request.url.scheme == "http", let url = URL(string: "https://b.example/1") else { return try await next(request) }
          return Response(status: .ok, headers: [.link: "<https://b.example/2>; rel=next"], url: url)
        }
      ])
    #expect(sent.map { $0.headers[.authorization] } == [nil, nil] && sent.map(\.isCrossOrigin) == [true, true])
  }

  @Test func `a redirect of the server from http to https is cross-origin for pages`() async throws {
    let sent = try await pages(
      from: "http://b.example/1", ["https://b.example/1": "https://b.example/2"],
      outer: [
        .redirects(),
        .closure { request, next in
          guard request.url.scheme == "http" else { return try await next(request) }
          return Response(status: .found, headers: [.location: "https://b.example/1"], url: request.url)
        },
      ])
    #expect(sent.map { $0.headers[.authorization] } == [nil, nil])
  }
}
