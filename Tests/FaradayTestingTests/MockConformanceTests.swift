import FaradayCore
import FaradayTesting
import Foundation
import TestServers
import Testing

/// A mock keeps the rules that need no wire, whatever it claims to be able to do.
@Suite struct MockConformanceTests {
  static let everything = mock(.all)
  static let nothing = mock([])

  @Test(arguments: AdapterConformance.casesWithServers(for: .all).filter { !$0.needsWire })
  func `a mock keeps the conformance rules`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.everything)
  }

  @Test(arguments: AdapterConformance.casesWithServers(for: []).filter { !$0.needsWire })
  func `a mock without capabilities keeps the rules, and refuses every option by name`(rule: AdapterConformance.Case) async throws
  {
    try await rule.run(over: Self.nothing)
  }

  @Test func `a refusal names the mock`() async throws {
    let connection = try Connection("http://h/", adapter: Self.nothing)
    let error = await #expect(throws: TransportError.self) {
      try await connection.get { $0.options.timeouts.total = .seconds(1) }
    }
    #expect(error?.message == "MockAdapter has no totalTimeout")
  }

  /// A mock that answers as a ``LocalServer`` does.
  private static func mock(_ capabilities: Capabilities) -> MockAdapter {
    let mock = MockAdapter(capabilities: capabilities)
    mock.answer("hello") { _, request in response(request, body: "Hello, world!") }
    mock.answer("echo") { _, request in response(request, body: request.body) }
    mock.answer("bytes") { count, request in
      response(request, body: .data(pattern(Int(count) ?? 0)))
    }
    mock.answer("status") { code, request in
      let code = Int(code) ?? 0
      return response(request, status: code, body: [204, 304].contains(code) ? .empty : .text("status \(code)\n"))
    }
    mock.answer("headers") { _, request in
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      return response(request, headers: try items.map { try HTTPField(checking: $0.name, $0.value ?? "") })
    }
    mock.answer("cookies") { _, request in
      response(request, headers: try ["a=1", "b=2"].map { try HTTPField(checking: "Set-Cookie", $0) })
    }
    mock.answer("trailers") { _, request in
      Response(
        status: .ok, body: "trailing", trailers: HTTPFields([try HTTPField(checking: "X-Checksum", "abc")]), url: request.url)
    }
    mock.answer("inspect") { _, request in response(request, body: .data(try inspected(request))) }
    return mock
  }

  private static func response(
    _ request: Request, status: Int = 200, headers: [HTTPField] = [], body: Body = .empty
  ) -> Response {
    Response(status: .init(code: status), headers: HTTPFields(headers), body: body, url: request.url)
  }

  private struct Inspection: Encodable {
    let method: String
    let target: String
    let headers: [[String]]
    let bodyLength: Int
    let bodyText: String?
    let framing: String
  }

  private static func inspected(_ request: Request) throws -> Data {
    let body = request.body.data ?? Data()
    let query = request.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
    return try JSONEncoder().encode(
      Inspection(
        method: request.method.rawValue, target: request.url.path(percentEncoded: true) + query,
        headers: request.headers.map { [$0.name.rawName, $0.value] }, bodyLength: body.count,
        bodyText: String(data: body, encoding: .utf8), framing: body.isEmpty ? "none" : "length"))
  }
}

extension MockAdapter {
  /// Answers requests whose path begins with this word; the closure gets the next one too.
  fileprivate func answer(_ word: String, with respond: @escaping @Sendable (String, Request) throws -> Response) {
    stub {
      $0.url.path().split(separator: "/").first.map(String.init) == word
    } respond: { request in
      let words = request.url.path().split(separator: "/").map(String.init)
      return try respond(words.count > 1 ? words[1] : "", request)
    }
  }
}
