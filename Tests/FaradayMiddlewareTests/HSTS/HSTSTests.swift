@_spi(Adapters) import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The middleware: its changes to requests, and the responses that it learns from.
@Suite struct HSTSTests {
  private let store = HSTSStore()
  private let mock = MockAdapter()

  private func answer(_ headers: HTTPFields = [:], times: Int = .max, status: HTTPResponse.Status = .ok) {
    mock.stub(times: times) { Response(status: status, headers: headers, url: $0.url) }
  }

  private var urls: [String] { mock.recorded.map { $0.request.url.absoluteString } }

  @Test func `responses from unverified servers and from http store nothing`() async throws {
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
  func `nothing is sent over http to a known host in any spelling`(host: String) async throws {
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
      _ = try await Connection(adapter: mock, middleware: [.hsts(store)]).send(Request(url: url))
      #expect(urls.allSatisfy { $0.hasPrefix("https://") }, "\(urls)")
    } catch let error as TransportError {
      #expect(error.code == .invalidURL)
    }
  }

  @Test func `a response whose body is too large, or that a layer below throws, is learned from`() async throws {
    let fields: HTTPFields = [.strictTransportSecurity: "max-age=10"]
    for (host, status) in [("cut.example", HTTPResponse.Status.ok), ("error.example", .notFound)] {
      mock.stub(times: 1) { Response(status: status, headers: fields, body: .stream(Pieces("long")), url: $0.url) }
      let connection = Connection(adapter: mock, middleware: [.hsts(store), .retry(retries: 0), .statusValidation])
      await #expect(throws: (any Error).self) {
        try await connection.get("https://\(host)/") { $0.options.maximumBodySize = 1 }
      }
    }
    #expect(store.entries.map(\.host).sorted() == ["cut.example", "error.example"])
  }

  @Test func `the first of several fields counts`() async throws {
    var headers = HTTPFields()
    for value in ["nonsense", "max-age=10"] { headers.append(HTTPField(name: .strictTransportSecurity, value: value)) }
    answer(headers)
    _ = try await Connection(adapter: mock, middleware: [.hsts(store)]).get("https://a.example/")
    #expect(store.entries.isEmpty)
  }

  @Test func `a known host is requested over https, also after a redirect`() async throws {
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

  @Test func `the upgrade keeps the connection's headers and credentials, because the server is the same`() async throws {
    store.insert("a.example", includesSubdomains: false, expires: nil)
    answer()
    var connection = try Connection(
      "http://a.example/", headers: ["Accept": "text/plain"], adapter: mock,
      middleware: [.hsts(store), .authorization(.bearer("token"))])
    connection.use(.closure { request, next in try await next(request) })
    _ = try await connection.get("x")
    _ = try await connection.get("x") { $0.markSecret("x") }
    for sent in mock.recorded.map(\.request) {
      #expect(sent.url.absoluteString == "https://a.example/x" && !sent.isCrossOrigin)
      #expect(sent.headers[.authorization] == "Bearer token" && sent.headers[.accept] == "text/plain")
    }
  }

  @Test func `the upgrade keeps a cross-origin request cross-origin`() async throws {
    store.insert("b.example", includesSubdomains: false, expires: nil)
    answer()
    let connection = try Connection(
      "http://a.example/", headers: ["Accept": "text/plain"], adapter: mock,
      middleware: [.hsts(store), .authorization(.bearer("token"))])
    _ = try await connection.get("http://b.example/")
    let sent = try #require(mock.recorded.first?.request)
    #expect(sent.url.absoluteString == "https://b.example/" && sent.isCrossOrigin && sent.headers.map(\.name) == [.userAgent])
  }

  @Test func `a URL that is same-origin with https is not same-origin with http`() async throws {
    store.insert("a.example", includesSubdomains: false, expires: nil)
    answer([.location: "http://c.example/"], times: 1, status: .found)
    answer()
    let connection = try Connection(
      "http://a.example/", headers: ["Accept": "text/plain"], adapter: mock,
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
      first, headers: ["Accept-Language": "cy", "Authorization": "Bearer hidden"], adapter: mock,
      middleware: outer + [.hsts(store)])
    let options = ["X-Api-Key": "hidden"] as KeyValuePairs
    for try await _ in connection.pages(headers: options, edit: { $0.markSecret("own") }) {}
    return mock.recorded.map(\.request)
  }

  @Test(arguments: ["https://a.example/3", "/3", "http://a.example/3"])
  func `pages keep credentials and headers after an upgrade to https`(link: String) async throws {
    let first = link.hasPrefix("http:") ? "http://a.example/2" : "https://a.example/2"
    let sent = try await pages(from: "http://a.example/1", ["https://a.example/1": first, "https://a.example/2": link])
    #expect(sent.map(\.url.absoluteString) == ["https://a.example/1", "https://a.example/2", "https://a.example/3"])
    for request in sent {
      #expect(request.headers[.authorization] == "Bearer hidden" && request.headers["X-Api-Key"] == "hidden")
      #expect(request.headers[.acceptLanguage] == "cy" && !request.isCrossOrigin)
    }
  }

  @Test(arguments: ["https://b.example/2", "https://a.example:8443/2", "http://b.example/2"])
  func `a cross-origin link of a page after an upgrade gets no credentials`(link: String) async throws {
    let sent = try await pages(from: "http://a.example/1", ["https://a.example/1": link, link: "https://a.example/3"])
    #expect(sent.map { $0.headers[.authorization] } == ["Bearer hidden", nil, nil])
    #expect(sent.map { $0.headers["X-Api-Key"] } == ["hidden", nil, nil])
    #expect(sent.map(\.isCrossOrigin) == [false, true, true])
  }

  @Test func `the port of the upgraded URL decides the origin of pages`() async throws {
    let sent = try await pages(
      from: "http://a.example:8080/1",
      ["https://a.example:8080/1": "https://a.example:8080/2", "https://a.example:8080/2": "https://a.example/3"])
    #expect(sent.map { $0.headers[.authorization] } == ["Bearer hidden", "Bearer hidden", nil])
  }

  @Test func `pages of a host that a middleware replaced get no credentials`() async throws {
    let elsewhere: any Middleware = .closure { request, next in
      guard request.url.path() == "/1" else { return try await next(request) }
      return try await next(Request("http://a.example/1"))
    }
    let sent = try await pages(
      from: "http://first.example/1", ["https://a.example/1": "https://a.example/2"], outer: [elsewhere])
    #expect(sent.map { $0.headers[.authorization] } == [nil, nil])
  }

  @Test func `an https response to a request that was not upgraded is cross-origin for pages`() async throws {
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

  @Test func `a server's redirect from http to https is cross-origin for pages`() async throws {
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
