import Faraday
import FaradayTesting
import TestSupport
import Testing

/// ``RestingHeaderProvider`` and ``RestingPathVariableProvider``.
@Suite struct RestingProviderTests {
  @Test func `an invalid header of a provider is an error when it is read`() {
    for (name, value) in [("not a name", "x"), ("X-Key", "a\r\nX-Evil: 1")] {
      let provider = RestingHeaderProvider()
      provider.set(name: name, value: value)
      #expect(throws: InvalidValueError.self) { try provider.headers }
    }
  }

  @Test func `RK-07: a provider's header is sent unless it is nil or removed`() throws {
    let provider = RestingHeaderProvider()
    provider.set(name: "From", value: "static")
    provider.set(name: "Accept-Language") { nil }
    #expect(try provider.headers == [.from: "static"])
    // Whatever the case: a later one of the name is the one.
    provider.set(name: "accept-LANGUAGE") { "cy" }
    provider.set(name: "FROM", value: "later")
    #expect(try provider.headers == [.from: "later", .acceptLanguage: "cy"])
    provider.remove("from")
    #expect(try provider.headers == [.acceptLanguage: "cy"])
    provider.remove("From")
    #expect(try provider.headers == [.acceptLanguage: "cy"])
  }

  @Test func `RK-08: a provider's path variable is used unless it is nil or removed`() throws {
    let provider = RestingPathVariableProvider()
    provider.set(name: "id", value: 42)
    provider.set(name: "tenant") { nil }
    #expect(try provider.variables.mapValues(\.parameterText) == ["id": "42"])
    provider.set(name: "tenant") { "ada" }
    provider.set(name: "id", value: "other")
    #expect(try provider.variables.mapValues(\.parameterText) == ["id": "other", "tenant": "ada"])
    provider.remove("id")
    #expect(try provider.variables.mapValues(\.parameterText) == ["tenant": "ada"])
  }

  @Test func `a closure may add and remove`() throws {
    let provider = RestingHeaderProvider()
    provider.set(name: "From") { [unowned provider] in
      provider.remove("From")
      provider.set(name: "Accept-Language", value: "cy")
      return "once"
    }
    #expect(try provider.headers == [.from: "once"])
    #expect(try provider.headers == [.acceptLanguage: "cy"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-23: providers' closures are called for each request, also those added later`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let calls = Log<Int>()
    let headers = RestingHeaderProvider()
    headers.set(name: "From") {
      calls.append(1)
      return "\(calls.elements.count)"
    }
    let variables = RestingPathVariableProvider()
    let configuration = RestingRequestConverter.Configuration(headerProvider: headers, pathVariableProvider: variables)
    let client = try RestingClient(server.url, adapter: tested.adapter, converter: RestingRequestConverter(configuration))
    let request = RestingRequest(endpoint: Endpoint<Void, JSONValue>(.get, "/{place}", encoding: .query))
    await #expect(throws: InvalidValueError.self) { try await client.perform(request) }
    variables.set(name: "place", value: "inspect")
    #expect(try await Inspected(client.perform(request).response).values("From") == ["1"])
    #expect(try await Inspected(client.perform(request).response).values("From") == ["2"])
    headers.remove("From")
    #expect(try await Inspected(client.perform(request).response).values("From") == [])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a cross-origin redirect is sent without a provider's headers`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let other = try LocalServer()
    let headers = RestingHeaderProvider()
    headers.set(name: "X-Own", value: "secret")
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
