import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import Testing

/// Which stored response a 304 confirms, and which of its header fields are returned.
@Suite struct AlwaysRevalidateSelectionTests {
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private let mock = MockAdapter()
  private let memory = MemoryCache()

  private func connection(_ middleware: any Middleware...) throws -> Connection {
    try Connection("https://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)] + middleware)
  }

  /// Answers 304 to a request with a precondition, and otherwise 200 with these fields and a count for its body.
  private func stub(_ headers: HTTPFields, notModified fields: HTTPFields = [:]) {
    let count = Log<Int>()
    mock.stub(
      where: { _ in true },
      respond: { request in
        if request.headers.contains(.ifNoneMatch) || request.headers.contains(.ifModifiedSince) {
          return Response(status: .notModified, headers: fields, url: request.url)
        }
        count.append(1)
        return Response(status: .ok, headers: headers, body: .text("body \(count.elements.count)"), url: request.url)
      })
  }

  private var preconditions: [String?] {
    mock.recorded.map { $0.request.headers[.ifNoneMatch] ?? $0.request.headers[.ifModifiedSince] }
  }

  @Test func `Set-Cookie is not stored: only the response that has it sets the cookie`() async throws {
    stub([.eTag: "\"1\"", .setCookie: "sid=A"], notModified: [.setCookie: "sid=B"])
    let connection = try connection()
    #expect(try await connection.get().headers[.setCookie] == "sid=A")
    for _ in 0..<2 {
      let again = try await connection.get()
      #expect(again.headers[fields: .setCookie].map(\.value) == ["sid=B"] && again.status == .ok)
    }
    let other = MockAdapter()
    other.stub(
      where: { _ in true },
      respond: { request in
        let isKnown = request.headers.contains(.ifNoneMatch)
        return Response(
          status: isKnown ? .notModified : .ok, headers: isKnown ? [:] : [.eTag: "\"1\"", .setCookie: "sid=A"], url: request.url)
      })
    let plain = try Connection("https://host/", adapter: other, middleware: [.cache(policy: .alwaysRevalidate)])
    #expect(try await plain.get().headers[.setCookie] == "sid=A")
    #expect(try await plain.get().headers[.setCookie] == nil)
  }

  @Test func `a different Host selects a different response`() async throws {
    stub([.lastModified: Self.date])
    let connection = try connection()
    #expect(try await connection.get(headers: ["Host": "a.example"]).text() == "body 1")
    #expect(try await connection.get(headers: ["Host": "b.example"]).text() == "body 2")
    #expect(preconditions == [nil, nil])
  }

  @Test func `a 304 of a verified server does not confirm the response of an unverified one`() async throws {
    stub([.eTag: "\"1\""])
    let connection = try connection()
    #expect(try await connection.get { $0.options.tls.verifiesServer = false }.text() == "body 1")
    #expect(try await connection.get().text() == "body 2")
    #expect(preconditions == [nil, nil])
  }

  @Test(arguments: ["Accept-Language", "*"]) func `a 304 whose Vary names more fields than the stored response is rejected`(
    vary: String
  )
    async throws
  {
    stub([.lastModified: Self.date], notModified: [.vary: vary])
    let connection = try connection()
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 2"])
    #expect(preconditions == [nil, Self.date, nil])
  }

  @Test func `a 304 does not change the Content-Type of the stored body`() async throws {
    stub([.eTag: "\"1\"", .contentType: "application/json"], notModified: [.contentType: "text/html"])
    let connection = try connection()
    for _ in 0..<3 { #expect(try await connection.get().headers[.contentType] == "application/json") }
  }

  @Test func `a 304 to a precondition that was added below is passed on`() async throws {
    stub([.lastModified: Self.date], notModified: [.eTag: "\"below\""])
    let connection = try connection(
      .closure { request, next in
        var request = request
        if request.headers.contains(.ifModifiedSince) { request.headers[.ifNoneMatch] = "\"below\"" }
        return try await next(request)
      })
    _ = try await connection.get()
    #expect(try await connection.get().status == .notModified)
  }

  @Test(arguments: [nil, "\"a b\""]) func `a 304 with an ETag that the stored response does not have is rejected`(tag: String?)
    async throws
  {
    var headers: HTTPFields = [.lastModified: Self.date]
    headers[.eTag] = tag
    stub(headers, notModified: [.eTag: "\"c d\""])
    let connection = try connection()
    #expect(try await [connection.get().text(), connection.get().text()] == ["body 1", "body 2"])
  }

  @Test func `a response to a request with no-store from a middleware below is not stored`() async throws {
    stub([.eTag: "\"1\""])
    let connection = try connection(.defaultHeaders([.cacheControl: "no-store"]))
    _ = try await connection.get()
    #expect(memory.count == 0)
  }
}
