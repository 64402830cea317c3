import Faraday
import FaradayResting
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// ``RestingClient/perform(_:)``, and what becomes of responses.
@Suite struct RestingClientTests {
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func client(
    _ tested: TestedAdapter, _ path: String = "", interceptors: [any Middleware] = []
  ) throws -> RestingClient {
    try RestingClient(server.url + path, adapter: tested.adapter, interceptors: interceptors)
  }

  /// What the server gets is what it answers with.
  private func echo<Output>(_ value: some Encodable & Sendable, as output: Output.Type) -> RestingRequest<JSONValue, Output> {
    let json = (try? JSONEncoder().encode(value)).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
    return RestingRequest(endpoint: Endpoint(.post, "/echo", encoding: .json), body: json ?? .null)
  }

  /// The server answers with no bytes.
  private func empty<Output>(_ output: Output.Type) -> RestingRequest<Nothing, Output> {
    RestingRequest(endpoint: Endpoint(.post, "/echo", encoding: .query))
  }

  // MARK: what goes wrong

  @Test(arguments: TestedAdapter.allCases)
  func `RK-03: a status that is no success is an error with the whole response`(tested: TestedAdapter) async throws {
    let failing = RestingRequest(
      endpoint: Endpoint<Nothing, User>(.get, "/status/{code}", encoding: .query), pathVariables: ["code": 500])
    let error = await #expect(throws: UnexpectedStatus.self) { try await client(tested).perform(failing) }
    #expect(error?.status == 500 && error?.response.body.data == Data("status 500\n".utf8))
    #expect(error?.response.headers[.contentLength] == "11")
    // A redirect that nobody follows is no success either.
    let moved = RestingRequest(endpoint: Endpoint<Nothing, Nothing>(.get, "/redirect/1", encoding: .query))
    let promise: Promise<TypedResponse<Void>> = try client(tested).promise.perform(moved)
    await #expect(throws: UnexpectedStatus.self) { try await promise.value }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a body that is none of the output names the field, the type and the request`(tested: TestedAdapter) async throws {
    let error = await #expect(throws: UndecodableBody.self) {
      try await client(tested).perform(echo(["name": 1], as: User.self))
    }
    #expect(error?.method == .post && error?.path == "name" && error?.type == "User")
    #expect(
      error.map { "\($0)" }
        == "POST \(server.url)/echo: cannot decode User from the 200 response (application/json): `name` is not of type String")
    // An optional is nil only if there is nothing.
    await #expect(throws: UndecodableBody.self) { try await client(tested).perform(echo([String: Int](), as: User?.self)) }
    await #expect(throws: UndecodableBody.self) { try await client(tested).perform(echo(JSONValue.null, as: User?.self)) }
    let nothing = await #expect(throws: UndecodableBody.self) { try await client(tested).perform(empty(User.self)) }
    #expect(nothing?.underlying is EmptyBody)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a server that is not there is an error`(tested: TestedAdapter) async throws {
    let port = try RefusedPort()
    let client = try RestingClient("http://127.0.0.1:\(port.port)", adapter: tested.adapter)
    let error = await #expect(throws: TransportError.self) { try await client.perform(empty(User?.self)) }
    #expect(error?.code == .connectionFailed)
  }

  @Test func `a base URL that is none is an error`() {
    let error = #expect(throws: TransportError.self) { try RestingClient("http://[", adapter: MockAdapter()) }
    #expect(error?.code == .invalidURL)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `what is wrong before anything is sent, is wrong before any interceptor`(tested: TestedAdapter) async throws {
    let seen = Log<URL>()
    let client = try client(
      tested,
      interceptors: [
        .closure { request, next in
          seen.append(request.url)
          return try await next(request)
        }
      ])
    let endpoint = Endpoint<Measure, Nothing>(.post, "/users/{id}", encoding: .json)
    let unnamed = RestingRequest(endpoint: endpoint, body: Measure())
    await #expect(throws: InvalidPath.self) { try await client.perform(unnamed) }
    let unencodable = RestingRequest(endpoint: endpoint, body: Measure(), pathVariables: ["id": 1])
    await #expect(throws: UnencodableBody.self) { try await client.perform(unencodable) }
    let promise: Promise<TypedResponse<Void>> = client.promise.perform(unencodable)
    await #expect(throws: UnencodableBody.self) { try await promise.value }
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
    let endless = RestingRequest(endpoint: Endpoint<Nothing, User>(.get, "/stall/body", encoding: .query))
    let promise: Promise<TypedResponse<User>> = client.promise.perform(endless)
    #expect(await arrived.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  // MARK: outputs

  @Test(arguments: TestedAdapter.allCases) func `RK-01: a model that is echoed is the model`(tested: TestedAdapter) async throws {
    let request = RestingRequest(
      endpoint: Endpoint<User, User>(.post, "/echo", encoding: .json), body: User(name: "Ada"))
    let response = try await client(tested).perform(request)
    #expect(response.value == User(name: "Ada") && response.status == .ok)
    #expect(response.headers[.contentType] == "application/json")
    let promise: Promise<TypedResponse<User>> = try client(tested).promise.perform(request)
    #expect(try await promise.map(\.value).value == User(name: "Ada"))
    // However the connection has its bodies delivered.
    var connection = try Connection(server.url, adapter: tested.adapter)
    connection.defaults.delivery = .streamed
    #expect(try await RestingClient(connection).perform(request).value == User(name: "Ada"))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-04: an optional output is nil if there is no body, and only then`(tested: TestedAdapter) async throws {
    let status = RestingRequest(endpoint: Endpoint<Nothing, User?>(.get, "/status/204", encoding: .query))
    let none = try await client(tested).perform(status)
    #expect(none.value == nil && none.status == .noContent)
    #expect(try await client(tested).perform(empty(User?.self)).value == nil)
    #expect(try await client(tested).perform(echo(User(name: "Ada"), as: User?.self)).value == User(name: "Ada"))
    let promise: Promise<TypedResponse<User?>> = try client(tested).promise.perform(status)
    #expect(try await promise.value.value == nil)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `who wants nothing gets nothing, whatever the body is`(tested: TestedAdapter) async throws {
    let hello = RestingRequest(endpoint: Endpoint<Nothing, Nothing>(.get, "/hello", encoding: .query))
    let response: TypedResponse<Void> = try await client(tested).perform(hello)
    #expect(response.status == .ok && response.response.body.data == Data("Hello, world!".utf8))
    // Nor does one who does not know that it is nothing.
    func value<Output>(_ request: RestingRequest<Nothing, Output>) async throws -> Output {
      try await client(tested).perform(request).value
    }
    #expect(try await value(hello) == Nothing())
    #expect(try await value(empty(Nothing?.self)) == nil)
  }

  @Test(arguments: TestedAdapter.allCases) func `JSON is asked for where it is read`(tested: TestedAdapter) async throws {
    let inspect = Endpoint<Nothing, JSONValue>(.get, "/inspect", encoding: .query)
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
      endpoint: Endpoint<Nothing, Nothing>(.get, "/{code}", encoding: .query), pathVariables: ["code": 201])
    for base in ["/status", "/status/"] {
      #expect(try await client(tested, base).perform(created).status == .created)
      // However the connection joins otherwise.
      let connection = try Connection(server.url + base, joining: .resolve, adapter: tested.adapter)
      #expect(try await RestingClient(connection).perform(created).status == .created)
    }
  }

  @Test func `RK-23: any adapter will do`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/v2/users/1", body: #"{"name": "Ada", "age": 36}"#)
    let client = try RestingClient("https://api.example.com/v2", adapter: mock)
    let user = Endpoint<Nothing, User>(.get, "/users/{id}", encoding: .query)
    #expect(try await client.perform(RestingRequest(endpoint: user, pathVariables: ["id": 1])).value.name == "Ada")
  }
}
