import Faraday
import FaradayResting
import FaradayTesting
import TestSupport
import Testing

/// ``RestingHeaderProvider`` and ``RestingPathVariableProvider``.
@Suite struct RestingProviderTests {
  @Test func `a header that may not be sent is an error, when it is wanted`() {
    for (name, value) in [("not a name", "x"), ("X-Key", "a\r\nX-Evil: 1")] {
      let provider = RestingHeaderProvider()
      provider.add(name, value)
      #expect(throws: InvalidHeader.self) { try provider.headers }
    }
  }

  @Test func `RK-07: a header is there, unless it is nil, until it is removed`() throws {
    let provider = RestingHeaderProvider()
    provider.add("From", "static")
    provider.add("Accept-Language") { nil }
    #expect(try provider.headers == [.from: "static"])
    // Whatever the case: a later one of the name is the one.
    provider.add("accept-LANGUAGE") { "cy" }
    provider.add("FROM", "later")
    #expect(try provider.headers == [.from: "later", .acceptLanguage: "cy"])
    provider.remove("from")
    #expect(try provider.headers == [.acceptLanguage: "cy"])
    provider.remove("From")
    #expect(try provider.headers == [.acceptLanguage: "cy"])
  }

  @Test func `RK-08: a path variable is there, unless it is nil, until it is removed`() throws {
    let provider = RestingPathVariableProvider()
    provider.add("id", 42)
    provider.add("tenant") { nil }
    #expect(try provider.variables.mapValues(\.parameterText) == ["id": "42"])
    provider.add("tenant") { "ada" }
    provider.add("id", "other")
    #expect(try provider.variables.mapValues(\.parameterText) == ["id": "other", "tenant": "ada"])
    provider.remove("id")
    #expect(try provider.variables.mapValues(\.parameterText) == ["tenant": "ada"])
  }

  @Test func `a closure may add and remove`() throws {
    let provider = RestingHeaderProvider()
    provider.add("From") { [unowned provider] in
      provider.remove("From")
      provider.add("Accept-Language", "cy")
      return "once"
    }
    #expect(try provider.headers == [.from: "once"])
    #expect(try provider.headers == [.acceptLanguage: "cy"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-23: closures are asked with each request, and what is added later counts`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let calls = Log<Int>()
    let headers = RestingHeaderProvider()
    headers.add("From") {
      calls.append(1)
      return "\(calls.elements.count)"
    }
    let variables = RestingPathVariableProvider()
    let configuration = RestingRequestConverter.Configuration(headerProvider: headers, pathVariableProvider: variables)
    let client = try RestingClient(server.url, adapter: tested.adapter, converter: RestingRequestConverter(configuration))
    let request = RestingRequest(endpoint: Endpoint<Nothing, JSONValue>(.get, "/{place}", encoding: .query))
    await #expect(throws: InvalidPath.self) { try await client.perform(request) }
    variables.add("place", "inspect")
    #expect(try await Inspected(client.perform(request).response).values("From") == ["1"])
    #expect(try await Inspected(client.perform(request).response).values("From") == ["2"])
    headers.remove("From")
    #expect(try await Inspected(client.perform(request).response).values("From") == [])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a redirect to another origin goes without a provider's headers`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let other = try LocalServer()
    let headers = RestingHeaderProvider()
    headers.add("X-Own", "secret")
    let client = try RestingClient(
      server.url, adapter: tested.adapter, converter: RestingRequestConverter(.init(headerProvider: headers)),
      interceptors: [.redirects()])
    struct Target: Encodable, Sendable { let url: String }
    let endpoint = Endpoint<Target, JSONValue>(.get, "/redirect-to", encoding: .query)
    for (target, values) in [(server, ["secret"]), (other, [])] {
      let request = RestingRequest(endpoint: endpoint, body: Target(url: target.url + "/inspect"))
      #expect(try await Inspected(client.perform(request).response).values("X-Own") == values)
    }
  }
}
