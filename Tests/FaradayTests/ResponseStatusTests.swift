import Faraday
import FaradayCurl
import FaradayHAL
import FaradayTesting
import FoundationEssentials
import Testing

/// Reading the value of a response whose status is not 2xx.
@Suite struct ResponseStatusTests {
  private static let problem = #"{"error":{"message":"no such user"}}"#

  private func response(_ status: HTTPResponse.Status, _ body: Body) async throws -> Response {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/users/1", status: status, headers: [.contentType: "application/json"], body: body)
    return try await Connection("http://host/", adapter: mock).stream("users/1?token=hidden")
  }

  private func check(_ error: StatusError?, _ status: HTTPResponse.Status = .notFound) {
    #expect(error?.status == status && error?.errorJSON?["error"]?["message"]?.string == "no such user")
    #expect(error.map { "\($0)" } == "GET http://host/users/1: unexpected status \(status.code)")
  }

  @Test(arguments: [301, 304, 400, 404, 500])
  func `a status other than 2xx is an error of decode, text and HAL, with the body`(code: Int) async throws {
    let status = HTTPResponse.Status(code: code)
    let body = Body.text(Self.problem)
    let decoding = await #expect(throws: StatusError.self) { try await response(status, body).decode(JSONValue.self) }
    let optional = await #expect(throws: StatusError.self) { try await response(status, body).decode(Int?.self) }
    let text = await #expect(throws: StatusError.self) { try await response(status, body).text() }
    let hal = await #expect(throws: StatusError.self) { try await response(status, body).decodeRepresentation() }
    let json = await #expect(throws: StatusError.self) { try await response(status, body).json() }
    let data = await #expect(throws: StatusError.self) { try await response(status, body).data() }
    for error in [decoding, optional, text, hal, json, data] { check(error, status) }
  }

  @Test func `a status other than 2xx is an error of streams of JSON, events and lines`() async throws {
    let response = try await response(.notFound, .text(Self.problem))
    check(await #expect(throws: StatusError.self) { for try await _ in response.elements(as: Int.self) {} })
    let events = try await self.response(.notFound, .text(Self.problem))
    check(await #expect(throws: StatusError.self) { for try await _ in events.events() {} })
    let lines = try await self.response(.notFound, .text(Self.problem))
    check(await #expect(throws: StatusError.self) { for try await _ in lines.lines() {} })
  }

  @Test func `a middleware that has read the body of an error does not hide its status`() async throws {
    let server = try LocalServer()
    let reading = MiddlewareClosure { request, next in
      let response = try await next(request)
      _ = try await response.body.collect()
      return response
    }
    let connection = try Connection(server.url + "/", adapter: CurlAdapter(), middleware: [reading])
    let typed = TypedRequest(baseURL: server.url, endpoint: "status/404", receiving: .text)
    let calls: [@Sendable () async throws -> Void] = [
      { for try await _ in connection.elements("status/404", as: Int.self) {} },
      { for try await _ in connection.lines("status/404") {} },
      { for try await _ in connection.events("status/404") {} }, { _ = try await connection.stream("status/404").text() },
      { _ = try await connection.send(typed.configured { $0.delivery = .streamed }.request(for: connection), as: Int.self) },
      { _ = try await connection.perform(typed.configured { $0.delivery = .streamed }) },
    ]
    for call in calls {
      #expect(await #expect(throws: StatusError.self) { try await call() }?.status == .notFound)
    }
  }

  @Test func `an accepted status is read`() async throws {
    let body = Body.text(Self.problem)
    for accepted: StatusSet in [.any, [404], [.notFound], .codes(400..<500), .codes(404...), .where { $0 == .notFound }] {
      let json = try await response(.notFound, body).json(accepting: accepted)
      #expect(json["error"]?["message"]?.string == "no such user")
      #expect(try await response(.notFound, body).text(accepting: accepted) == Self.problem)
      #expect(try await response(.notFound, body).data(accepting: accepted) == Data(Self.problem.utf8))
      let lines = try await response(.notFound, body).lines(accepting: accepted)
      #expect(try await lines.reduce(into: []) { $0.append($1) } == [Self.problem])
      let elements = try await response(.notFound, body).elements(as: JSONValue.self, accepting: accepted)
      #expect(try await elements.reduce(into: []) { $0.append($1) } == [json])
      let value = try await response(.notFound, body).decode([String: [String: String]].self, accepting: accepted)
      #expect(value == ["error": ["message": "no such user"]])
    }
    await #expect(throws: StatusError.self) { try await response(.ok, body).text(accepting: [404]) }
  }

  @Test func `a typed call decodes the response that its validator accepts`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .notFound, body: .text(Self.problem))
    let connection = try Connection("http://host/", adapter: mock)
    let custom = ResponseDecoder { try await $0.decode(JSONValue.self)["error"]?["message"]?.string }
    let request = TypedRequest(baseURL: "http://host/", receiving: custom)
    #expect(try await connection.perform(request.validating(.status([404]))).value == "no such user")
    let text = TypedRequest(baseURL: "http://host/", receiving: .text).validating(.any)
    #expect(try await connection.perform(text).value == Self.problem)
    let error = await #expect(throws: StatusError.self) { try await connection.perform(request) }
    #expect(error?.errorJSON?["error"]?["message"]?.string == "no such user")
  }

  @Test func `a decoder of a response that no validator has accepted throws the unexpected status unchanged`() async throws {
    let custom = ResponseDecoder { try await $0.decode(JSONValue.self) }
    let response = Response(status: .notFound, body: .text(Self.problem), url: try Request("http://host/").url)
    await #expect(throws: StatusError.self) { try await custom.decode(response) }
    await #expect(throws: StatusError.self) { try await ResponseDecoder<String>.text.decode(response) }
    await #expect(throws: StatusError.self) { try await ResponseDecoder<Data>.data.decode(response) }
    #expect(try await ResponseDecoder<Response>.response.decode(response).status == .notFound)
  }

  @Test func `an error body that never ends is cut, and a cancelled task does not wait for one that stalls`() async throws {
    let endless = Body.stream(AsyncStream { Data(repeating: 0x20, count: 1000) })
    let error = await #expect(throws: StatusError.self) { try await response(.notFound, endless).text() }
    #expect(error?.isBodyCut == true && error?.response.body.data?.count == 64 << 10)
    let (pieces, source) = AsyncStream<Data>.makeStream()
    let stalled = try await response(.notFound, .stream(pieces))
    let task = Task { try await stalled.text() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(source) {}
  }

  @Test func `the response of an error can be read whatever its status is`() async throws {
    let error = await #expect(throws: StatusError.self) { try await response(.notFound, .text(Self.problem)).text() }
    #expect(try await error?.response.text() == Self.problem)
    #expect(try await error?.response.json()["error"]?["message"]?.string == "no such user")
  }

  @Test func `a body that was read before does not hide the status`() async throws {
    let response = try await response(.notFound, .text(Self.problem))
    _ = try await response.body.collect()
    let error = await #expect(throws: StatusError.self) { try await response.text() }
    #expect(error?.status == .notFound && error?.errorJSON == nil)
  }

  @Test func `the error of a cross-origin 401 says that the credentials were not sent`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .unauthorized)
    let connection = try Connection("http://host/", headers: ["Authorization": "Bearer hidden"], adapter: mock)
    let other = await #expect(throws: StatusError.self) { try await connection.get("http://other/").text() }
    #expect(other?.isCrossOrigin == true && other?.description.contains("sent without the connection's header fields") == true)
    let own = await #expect(throws: StatusError.self) {
      try await connection.get("http://other/", headers: ["Authorization": "Bearer own"]).text()
    }
    #expect(own?.isCrossOrigin == true && own?.description.contains("sent without") == false)
    let same = await #expect(throws: StatusError.self) { try await connection.get().text() }
    #expect(same?.isCrossOrigin == false)
  }

  @Test func `a cross-origin redirect is named in the error`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, host: "host", path: "/", status: .found, headers: [.location: "http://other/"])
    try mock.stub(.get, host: "other", path: "/", status: .forbidden)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.redirects()])
    let error = await #expect(throws: StatusError.self) { try await connection.get().text() }
    #expect(error?.url == "http://other/" && error?.description.contains("a redirect led to another origin") == true)
  }

  @Test(arguments: [HTTPResponse.Status.unauthorized, .forbidden, .proxyAuthenticationRequired, .notFound])
  func `after a link led to another origin, a status that requires credentials says why they were not sent`(
    status: HTTPResponse.Status
  ) async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: status)
    var connection = try Connection("http://host/", headers: ["Authorization": "Bearer hidden"], adapter: mock)
    connection.treatAllRequestsAsCrossOrigin()
    let error = await #expect(throws: StatusError.self) { try await connection.get().text() }
    let isNamed = error?.description.contains("a redirect or a link led to another origin before") == true
    #expect(isNamed == (status != .notFound) && error?.isCrossOrigin == true)
    #expect(mock.recorded.allSatisfy { !$0.request.headers.contains(.authorization) })
  }

  @Test func `a redirect to another origin and back is named in the error`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, host: "host", path: "/", status: .found, headers: [.location: "http://other/"])
    try mock.stub(.get, host: "other", path: "/", status: .found, headers: [.location: "http://host/private"])
    try mock.stub(.get, host: "host", path: "/private", status: .unauthorized)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.redirects()])
    let error = await #expect(throws: StatusError.self) { try await connection.get().text() }
    #expect(error?.isCrossOrigin == true && error?.url == "http://host/private")
    #expect(error?.description.contains("led to another origin") == true)
  }

  @Test func `the error of a large body has its beginning`() async throws {
    let body = Body.data(Data(repeating: 0x20, count: 100_000))
    let error = await #expect(throws: StatusError.self) { try await response(.notFound, body).text() }
    #expect(error?.isBodyCut == true && error?.response.body.data?.count == 64 << 10)
  }
}
