import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// ``RestingClient/perform(_:onProgress:)`` and its responses.
@Suite struct RestingClientTests {
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func client(
    _ tested: TestedAdapter, _ path: String = "", interceptors: [any Middleware] = []
  ) throws -> RestingClient {
    try RestingClient(server.url + path, adapter: tested.adapter, interceptors: interceptors)
  }

  /// The server responds with the body that it received.
  private func echo<Output: Decodable & Sendable>(_ value: some Encodable & Sendable, as output: Output.Type) -> RestingRequest<
    JSONValue, Output
  > {
    let json = (try? JSONEncoder().encode(value)).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
    return RestingRequest(endpoint: Endpoint(.post, "/echo", encoding: .json), body: json ?? .null)
  }

  /// The server answers with no bytes.
  private func empty<Output: Decodable & Sendable>(_ output: Output.Type) -> RestingRequest<Void, Output> {
    RestingRequest(endpoint: Endpoint(.post, "/echo", encoding: .query))
  }

  // MARK: Errors

  @Test(arguments: TestedAdapter.allCases)
  func `RK-03: a status other than 2xx is an error with the whole response`(tested: TestedAdapter) async throws {
    let failing = RestingRequest(
      endpoint: Endpoint<Void, User>(.get, "/status/{code}", encoding: .query), variables: ["code": 500])
    let error = await #expect(throws: StatusError.self) { try await client(tested).perform(failing) }
    #expect(error?.status == 500 && error?.response.body.data == Data("status 500\n".utf8))
    #expect(error?.response.headers[.contentLength] == "11")
    // A redirect that is not followed is not a success either.
    let moved = RestingRequest(endpoint: Endpoint<Void, Void>(.get, "/redirect/1", encoding: .query))
    let promise = try client(tested).promise { try await $0.perform(moved) }
    await #expect(throws: StatusError.self) { try await promise.value }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a body of another shape is an error that names the field, the type and the request`(tested: TestedAdapter) async throws {
    let error = await #expect(throws: BodyDecodingError.self) {
      try await client(tested).perform(echo(["name": 1], as: User.self))
    }
    #expect(error?.method == .post && error?.path == "name" && error?.type == "User")
    #expect(
      error.map { "\($0)" }
        == "POST \(server.url)/echo: cannot decode User from the 200 response (application/json): `name` is not of type String")
    // An optional is nil only if there is nothing.
    await #expect(throws: BodyDecodingError.self) { try await client(tested).perform(echo([String: Int](), as: User?.self)) }
    await #expect(throws: BodyDecodingError.self) { try await client(tested).perform(echo(JSONValue.null, as: User?.self)) }
    let nothing = await #expect(throws: BodyDecodingError.self) { try await client(tested).perform(empty(User.self)) }
    #expect((nothing?.underlying as? BodyError)?.reason == .empty)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an unreachable server is an error`(tested: TestedAdapter) async throws {
    let port = try RefusedPort()
    let client = try RestingClient("http://127.0.0.1:\(port.port)", adapter: tested.adapter)
    let error = await #expect(throws: TransportError.self) { try await client.perform(empty(User?.self)) }
    #expect(error?.code == .connectionFailed)
  }

  @Test func `an invalid base URL is an error`() {
    let error = #expect(throws: TransportError.self) { try RestingClient("http://[", adapter: MockAdapter()) }
    #expect(error?.code == .invalidURL)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a request that cannot be built fails before any interceptor runs`(tested: TestedAdapter) async throws {
    let seen = Log<URL>()
    let client = try client(
      tested,
      interceptors: [
        .closure { request, next in
          seen.append(request.url)
          return try await next(request)
        }
      ])
    let endpoint = Endpoint<Measure, Void>(.post, "/users/{id}", encoding: .json)
    let unnamed = RestingRequest(endpoint: endpoint, body: Measure())
    #expect(await #expect(throws: InvalidValueError.self) { try await client.perform(unnamed) }?.isPath == true)
    let unencodable = RestingRequest(endpoint: endpoint, body: Measure(), variables: ["id": 1])
    await #expect(throws: BodyEncodingError.self) { try await client.perform(unencodable) }
    let promise = client.promise { try await $0.perform(unencodable) }
    await #expect(throws: BodyEncodingError.self) { try await promise.value }
    #expect(seen.elements.isEmpty && server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases) func `a cancelled promise cancels its call`(tested: TestedAdapter) async throws {
    let arrived = Gate()
    let client = try client(
      tested,
      interceptors: [
        .closure { request, next in
          var request = request
          // Who waits for the whole of it gets a small one with its head.
          request.options.delivery = .streamed
          let response = try await next(request)
          arrived.open()
          return response
        }
      ])
    let endless = RestingRequest(endpoint: Endpoint<Void, User>(.get, "/stall/body", encoding: .query))
    let promise = client.promise { try await $0.perform(endless) }
    #expect(await arrived.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  // MARK: outputs

  @Test(arguments: TestedAdapter.allCases) func `RK-01: a model survives a round trip as JSON`(tested: TestedAdapter) async throws
  {
    let request = RestingRequest(
      endpoint: Endpoint<User, User>(.post, "/echo", encoding: .json), body: User(name: "Ada"))
    let response = try await client(tested).perform(request)
    #expect(response.value == User(name: "Ada") && response.status == .ok)
    #expect(response.headers[.contentType] == "application/json")
    let promise = try client(tested).promise { try await $0.perform(request) }
    #expect(try await promise.map(\.value).value == User(name: "Ada"))
    // However the connection has its bodies delivered.
    var connection = try Connection(server.url, adapter: tested.adapter)
    connection.defaults.delivery = .streamed
    #expect(try await RestingClient(connection).perform(request).value == User(name: "Ada"))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-04: an optional output is nil exactly if the body is empty`(tested: TestedAdapter) async throws {
    let status = RestingRequest(endpoint: Endpoint<Void, User?>(.get, "/status/204", encoding: .query))
    let none = try await client(tested).perform(status)
    #expect(none.value == nil && none.status == .noContent)
    #expect(try await client(tested).perform(empty(User?.self)).value == nil)
    #expect(try await client(tested).perform(echo(User(name: "Ada"), as: User?.self)).value == User(name: "Ada"))
    let promise = try client(tested).promise { try await $0.perform(status) }
    #expect(try await promise.value.value == nil)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an output of Void ignores the body`(tested: TestedAdapter) async throws {
    let hello = RestingRequest(endpoint: Endpoint<Void, Void>(.get, "/hello", encoding: .query))
    let response: TypedResponse<Void> = try await client(tested).perform(hello)
    #expect(response.status == .ok && response.response.body.data == Data("Hello, world!".utf8))
    // Also in generic code, which does not know the output.
    func value<Output>(_ request: RestingRequest<Void, Output>) async throws -> Output {
      try await client(tested).perform(request).value
    }
    #expect(try await value(hello) == ())
    #expect(try await value(empty(User?.self)) == nil)
  }

  @Test(arguments: TestedAdapter.allCases) func `the Accept of JSON is sent for an output, unless the request has one`(
    tested: TestedAdapter
  ) async throws {
    let inspect = Endpoint<Void, JSONValue>(.get, "/inspect", encoding: .query)
    let client = try client(tested)
    let asked = try await Inspected(client.perform(RestingRequest(endpoint: inspect)).response)
    #expect(asked.values("Accept") == ["application/json"])
    let own = RestingRequest(endpoint: inspect, headers: [.accept: "application/hal+json"])
    #expect(try await Inspected(client.perform(own).response).values("Accept") == ["application/hal+json"])
  }

  // MARK: the base URL

  @Test(arguments: TestedAdapter.allCases)
  func `the path of the base URL is kept`(tested: TestedAdapter) async throws {
    let created = RestingRequest(
      endpoint: Endpoint<Void, Void>(.get, "/{code}", encoding: .query), variables: ["code": 201])
    for base in ["/status", "/status/"] {
      #expect(try await client(tested, base).perform(created).status == .created)
      // However the connection joins otherwise.
      let connection = try Connection(server.url + base, joining: .resolve, adapter: tested.adapter)
      #expect(try await RestingClient(connection).perform(created).status == .created)
    }
  }

  @Test func `RK-23: a client works over any adapter`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/v2/users/1", body: #"{"name": "Ada", "age": 36}"#)
    let client = try RestingClient("https://api.example.com/v2", adapter: mock)
    let user = Endpoint<Void, User>(.get, "/users/{id}", encoding: .query)
    #expect(try await client.perform(RestingRequest(endpoint: user, variables: ["id": 1])).value.name == "Ada")
  }
}
