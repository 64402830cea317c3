import Faraday
import FaradayTesting
import FoundationEssentials
import Logging
import TestSupport
import Testing

/// The standard list as a whole, over each adapter and for each delivery.
@Suite struct StandardTests {
  @Test func `the list is in its order, and what is not asked for is not in it`() {
    let names = { (list: [any Middleware]) in list.map { "\(type(of: $0))" } }
    #expect(names(.standard) == ["EncodeJSON", "EncodeForm", "Multipart", "Decompress", "DecodeJSON", "Redirects", "Retry"])
    let all: [any Middleware] = .standard(
      authorization: .authorization(.bearer("token")), cookies: CookieJar(), logger: Logger(label: "test"))
    #expect(names(all).suffix(5) == ["Redirects", "Retry", "Cookies", "Authorization", "ExchangeLogger"])
  }

  /// A login that sets a cookie and redirects, a server that is busy for a moment, and an answer in JSON.
  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a value goes out, and an answer comes back, through all of it`(tested: TestedAdapter, delivery: TestedDelivery)
    async throws
  {
    let server = try AnsweringServer([
      AnsweringServer.answer(307, "Location: /there", "Set-Cookie: session=1; Path=/", body: "moved"),
      AnsweringServer.answer(503, "Retry-After: 0", body: "busy"),
      AnsweringServer.answer(200, "Content-Type: application/json", body: #"{"a":1}"#),
    ])
    let connection = try Connection(
      server.url + "/", adapter: tested.adapter,
      middleware: .standard(authorization: .authorization(.bearer("token")), cookies: CookieJar()))
    var request = try connection.request(.put, "here", body: .value(["key": "value"] as JSONValue))
    let heads = Log<Int>()
    request.options.onHead = { heads.append($0.status.code) }
    let (response, text) = try await delivery.send(request, over: connection)
    #expect(response.status == .ok && text == #"{"a":1}"# && heads.elements == [200])
    #expect(response.json == (delivery == .buffered ? ["a": 1] : nil))
    #expect(response.redirects.count == 1 && response.retries == 1)
    let seen = server.heads.elements.map { $0.lowercased() }
    #expect(seen.count == 3)
    #expect(seen.allSatisfy { $0.contains("content-type: application/json") && $0.contains("authorization: bearer token") })
    #expect(seen.map { $0.contains("cookie: session=1") } == [false, true, true])
    #expect(seen.map { $0.prefix { !$0.isNewline } } == ["put /here http/1.1", "put /there http/1.1", "put /there http/1.1"])
  }
}
