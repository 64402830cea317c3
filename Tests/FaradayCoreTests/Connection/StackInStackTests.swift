import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayCore

@Suite struct StackInStackTests {
  private struct Mark: RequestTransformer {
    let name: String
    func transformed(_ request: Request, capabilities: Capabilities) -> Request {
      var request = request
      request.headers[.cacheControl] = (request.headers[.cacheControl] ?? "") + name
      return request
    }
  }

  @Test func `a stack over a stack is one stack in the order of both`() async throws {
    let mock = MockAdapter(isStrict: false)
    let inner = Stack([Mark(name: "b")], adapter: Stack([Mark(name: "c")], adapter: mock))
    var connection = try Connection("https://host/", adapter: inner, middleware: [Mark(name: "a")])
    connection.use(Mark(name: "d"))
    #expect(connection.stack.middleware.count == 4 && connection.stack.adapter is MockAdapter)
    _ = try await connection.get()
    #expect(mock.recorded.first?.request.headers[.cacheControl] == "abcd")
    #expect(try await inner.send(Request("https://host/")).status == .notFound)
    #expect(mock.recorded.last?.request.headers[.cacheControl] == "bc")
  }

  @Test func `credentials of default options stay with their origin after any number of merged contexts`() async throws {
    let mock = MockAdapter(isStrict: false)
    let away = try #require(URL(string: "https://other/"))
    let sent = SentRequest()
    var options = Options()
    options.authentication = TransportAuthentication(user: "user", password: "pw", schemes: [.digest])
    let connection = try Connection(
      "https://host/", defaults: options, adapter: mock,
      middleware: [
        .closure { request, next in try await next(request.recorded(in: sent)) },
        .closure { request, next in
          var request = request
          request.markSecret("a")
          return try await next(request)
        },
        .closure { request, next in
          var request = request
          request.markSecret("b")
          request.url = away
          return try await next(request)
        },
      ])
    _ = try await connection.get()
    #expect(mock.recorded.first?.request.options.authentication == nil && sent.last?.options.authentication == nil)
    #expect(sent.last?.url == away && sent.last?.secrets.contains("b") == true)
  }

  @Test func `a recorder has the last request that was sent`() async throws {
    let sent = SentRequest()
    let mock = MockAdapter(isStrict: false)
    let stack = Stack(
      [
        .closure { request, next in
          request.headers[.accept] == nil ? try await next(request) : Response(status: .ok, url: request.url)
        }
      ], adapter: mock)
    let request = try Request("https://host/")
    _ = try await stack.send(request.recorded(in: sent))
    #expect(sent.last?.url == request.url)
    var answered = request
    answered.headers[.accept] = "a/b"
    _ = try await stack.send(answered.recorded(in: sent))
    #expect(sent.last == nil)
  }

  @Test func `attempts with different credentials leave no recorded request`() throws {
    let sent = SentRequest()
    var request = try Request("https://host/").recorded(in: sent)
    request.headers[.authorization] = "Bearer a"
    request.context?.record(request)
    #expect(sent.last?.headers[.authorization] == "Bearer a")
    request.headers[.authorization] = "Bearer b"
    request.context?.record(request)
    #expect(sent.last == nil)
    request.context?.beginRecording()
    request.context?.record(request)
    #expect(sent.last == nil)
  }

  /// Properties that can differ between two attempts of one exchange.
  enum Difference: CaseIterable {
    case url, authentication, clientCertificate, host, secretOfFirst, secretOfSecond, otherField

    func apply(to first: inout Request, _ second: inout Request) throws {
      switch self {
      case .url: second.url = try #require(URL(string: "https://host/other"))
      case .authentication:
        first.options.authentication = TransportAuthentication(user: "a", password: "", schemes: [.digest])
        second.options.authentication = TransportAuthentication(user: "b", password: "", schemes: [.digest])
      case .clientCertificate: second.options.tls.clientCertificate = ClientCertificate(.file("/b.pem"))
      case .host:
        let name = try #require(HTTPField.Name("Host"))
        second.headers[name] = "other"
      case .secretOfFirst, .secretOfSecond:
        if self == .secretOfFirst { first.markSecret("Tenant") } else { second.markSecret("Tenant") }
        let name = try #require(HTTPField.Name("Tenant"))
        first.headers[name] = "a"
        second.headers[name] = "b"
      case .otherField: second.headers[.accept] = "text/plain"
      }
    }
  }

  @Test(arguments: Difference.allCases)
  func `only attempts with the same URL and credentials leave a recorded request`(difference: Difference) throws {
    let sent = SentRequest()
    var first = try Request("https://host/").recorded(in: sent)
    var second = first
    try difference.apply(to: &first, &second)
    first.context?.record(first)
    second.context?.record(second)
    let isSame = difference == .otherField
    #expect(sent.isAmbiguous == !isSame && (sent.last != nil) == isSame)
    #expect(sent.last?.headers[.accept] == (isSame ? "text/plain" : nil))
  }

  @Test func `a request of another connection is recorded by the recorders of both`() async throws {
    let (outer, inner) = (SentRequest(), SentRequest())
    let mock = MockAdapter(isStrict: false)
    let other = try Connection("https://other/", adapter: mock)
    let connection = try Connection(
      "https://host/", adapter: mock,
      middleware: [
        .closure { request, next in try await next(request.recorded(in: outer)) },
        .closure { _, next in try await next(try other.request(.get, "a").recorded(in: inner)) },
      ])
    _ = try await connection.get()
    #expect(outer.last?.url.absoluteString == "https://other/a" && inner.last?.url.absoluteString == "https://other/a")
  }

  @Test func `merging contexts keeps each recorder once`() throws {
    let sent = SentRequest()
    let mock = MockAdapter(isStrict: false)
    let layer = try Connection("https://host/", adapter: mock).request(.get).recorded(in: sent)
    var request = try Connection("https://other/", adapter: mock).request(.get).recorded(in: sent)
    request.merge(try #require(layer.context))
    #expect(request.context?.recorders.count == 1)
  }

  @Test func `a response does not retain the recorded request`() async throws {
    final class Token: Sendable {}
    weak var kept: Token?
    func exchange() async throws -> Response {
      let token = Token()
      kept = token
      var request = try Request("https://host/").recorded(in: SentRequest())
      request.options.onDownloadProgress = { _ in _ = token }
      return try await Stack([], adapter: MockAdapter(isStrict: false)).send(request)
    }
    let response = try await exchange()
    #expect(kept == nil)
    withExtendedLifetime(response) {}
  }
}
