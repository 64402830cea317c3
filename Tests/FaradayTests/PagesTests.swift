import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct PagesTests {
  let mock = MockAdapter()

  private func connection(_ middleware: any Middleware...) throws -> Connection {
    try Connection("https://api.test/v2/", headers: ["Authorization": "Bearer hidden"], adapter: mock, middleware: middleware)
  }

  private func stub(_ path: String, host: String? = nil, next: String?, status: HTTPResponse.Status = .ok, body: Body = "[]")
    throws
  {
    let headers: HTTPFields = next.map { [.link: "<\($0)>; rel=\"next\""] } ?? [:]
    try mock.stub(.get, host: host, path: path, status: status, headers: headers, body: body)
  }

  private func error(_ pages: Connection.Pages) async -> PagingError? {
    await #expect(throws: PagingError.self) { for try await page in pages { _ = page } }
  }

  @Test func `too many pages, a loop and an invalid link are errors with the page`() async throws {
    try stub("/v2/a", next: "b")
    try stub("/v2/b", next: "c")
    try stub("/v2/c", next: "a?token=hidden")
    try stub("/v2/loop", next: "loop")
    try stub("/v2/odd", next: "mailto:ada@api.test")
    let many = await error(try connection().pages("a", limit: 2))
    #expect(many?.reason == .tooMany(limit: 2) && many?.request?.url == "https://api.test/v2/b" && many?.response.status == .ok)
    #expect(mock.recorded.count == 2)
    #expect(await error(try connection().pages("loop"))?.reason == .loop)
    #expect(await error(try connection().pages("odd"))?.reason == .invalidLink)
    #expect(
      await #expect(throws: InvalidValueError.self) { for try await _ in try connection().pages("{id}", variables: [:]) {} }?
        .isPath == true)
  }

  @Test func `pages arrive one by one with the first one's query, fields and options`() async throws {
    try stub("/v2/users", next: "/v2/more?page=2", body: "[1]")
    try stub("/v2/more", next: nil, body: "[2, 3]")
    var numbers: [Int] = []
    for try await page in try connection().pages("users", query: ["size": 2], headers: ["X-Trace": "7"], timeout: .seconds(5)) {
      #expect(mock.recorded.count == (numbers.isEmpty ? 1 : 2))
      numbers += try await page.decode([Int].self)
    }
    #expect(numbers == [1, 2, 3])
    #expect(
      mock.recorded.map(\.request.url.absoluteString) == ["https://api.test/v2/users?size=2", "https://api.test/v2/more?page=2"])
    for sent in mock.recorded.map(\.request) {
      #expect(sent.headers["X-Trace"] == "7" && sent.options.timeouts.total == .seconds(5))
      #expect(sent.headers[.authorization] == "Bearer hidden")
    }
  }

  @Test func `an unsuccessful page is the last one`() async throws {
    try stub("/v2/users", next: "gone")
    try stub("/v2/gone", next: "users", status: .gone)
    var statuses: [Int] = []
    for try await page in try connection().pages("users") { statuses.append(page.status.code) }
    #expect(statuses == [200, 410])
  }

  @Test func `a cross-origin link gets no secrets, and neither do later pages`() async throws {
    try stub("/v2/users", host: "api.test", next: "https://evil.test/users")
    try stub("/users", host: "evil.test", next: "https://api.test/v2/back")
    try stub("/v2/back", host: "api.test", next: nil)
    let connection = try connection(.authorization(.bearer("hidden")))
    for try await _ in connection.pages("users", headers: ["X-Api-Key": "hidden", "X-Trace": "7"]) {}
    let sent = mock.recorded.map(\.request)
    #expect(sent.map { $0.headers[.authorization] != nil } == [true, false, false])
    #expect(sent.map { $0.headers["X-Api-Key"] } == ["hidden", nil, nil])
    #expect(sent.map { $0.headers["X-Trace"] } == ["7", "7", "7"] && sent.map(\.isCrossOrigin) == [false, true, true])
  }

  @Test func `links of a page behind a cross-origin redirect are cross-origin`() async throws {
    try mock.stub(.get, host: "api.test", path: "/v2/users", status: .found, headers: [.location: "https://evil.test/users"])
    try stub("/users", host: "evil.test", next: "https://api.test/v2/admin")
    try stub("/v2/admin", host: "api.test", next: nil)
    for try await _ in try connection(.redirects()).pages("users") {}
    #expect(mock.recorded.map { $0.request.headers[.authorization] != nil } == [true, false, false])
  }

  @Test func `requests of a closure stay cross-origin after a cross-origin page`() async throws {
    let urls = ["https://api.test/v2/1", "https://evil.test/2", "https://api.test/v2/3", "https://api.test/v2/4"]
    for (path, host) in [("/v2/1", "api.test"), ("/2", "evil.test"), ("/v2/3", "api.test"), ("/v2/4", "api.test")] {
      try stub(path, host: host, next: nil)
    }
    let pages = try connection(.authorization(.bearer("hidden"))).pages(
      "1",
      next: { _, request in
        let index = urls.firstIndex(of: request.url.absoluteString) ?? urls.count
        return index + 1 < urls.count ? try Request(urls[index + 1]) : nil
      })
    for try await _ in pages {}
    #expect(mock.recorded.map(\.request.url.absoluteString) == urls)
    #expect(mock.recorded.map { $0.request.headers[.authorization] != nil } == [true, false, false, false])
  }

  @Test func `later pages do not send the body of the first`() async throws {
    try stub("/v2/users", host: "api.test", next: "http://api.test/x")
    try stub("/x", host: "api.test", next: nil)
    for try await _ in try connection().pages("users", edit: { $0.body = .form(["password": "hidden"]) }) {}
    let sent = mock.recorded.map(\.request)
    #expect(sent.map(\.body.isEmpty) == [false, true] && sent.map(\.method) == [.get, .get])
    #expect(sent.map { $0.headers[.contentType] != nil } == [true, false])
  }
}
