import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Interceptors of a ``RestingClient``: their abilities and their order.
@Suite struct RestingInterceptorTests {
  struct Stopped: Error {}

  private let log = Log<String>()
  private let hello = RestingRequest(endpoint: Endpoint<Void, Void>(.get, "/hello", encoding: .query))

  private func noting(_ name: String) -> any Middleware {
    MiddlewareClosure { [log] request, next in
      log.append("\(name) request")
      let response = try await next(request)
      log.append("\(name) \(response.status.code)")
      return response
    }
  }

  // MARK: Errors

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor's error on either way is thrown by the call`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let before = try RestingClient(server.url, adapter: tested.adapter, interceptors: [.closure { _, _ in throw Stopped() }])
    await #expect(throws: Stopped.self) { try await before.perform(hello) }
    #expect(server.requestCount == 0)
    let after = try RestingClient(
      server.url, adapter: tested.adapter,
      interceptors: [
        .closure { request, next in
          _ = try await next(request)
          throw Stopped()
        }
      ])
    await #expect(throws: Stopped.self) { try await after.perform(hello) }
    #expect(server.requestCount == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `interceptors see every status, and an unexpected one is an error after them`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [noting("a")])
    let failing = RestingRequest(endpoint: Endpoint<Void, Void>(.get, "/status/500", encoding: .query))
    await #expect(throws: StatusError.self) { try await client.perform(failing) }
    #expect(log.elements == ["a request", "a 500"])
    let forgiving = MiddlewareClosure { request, next in
      var response = try await next(request)
      response.status = .ok
      return response
    }
    let patient = try RestingClient(server.url, adapter: tested.adapter, interceptors: [forgiving])
    #expect(try await patient.perform(failing).status == .ok)
  }

  // MARK: Abilities

  @Test(arguments: TestedAdapter.allCases)
  func `RK-02: interceptors see the request in order and the response in reverse order`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [noting("connection's")])
    let client = RestingClient(connection, interceptors: [noting("a"), noting("b")])
    _ = try await client.perform(hello)
    #expect(
      log.elements == [
        "a request", "b request", "connection's request", "connection's 200", "b 200", "a 200",
      ])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-23: the last interceptor sees the changes of the others`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let client = try RestingClient(
      server.url, adapter: tested.adapter,
      interceptors: [
        .closure { request, next in
          var request = request
          request.headers[.from] = "an interceptor"
          return try await next(request)
        },
        .closure { [log] request, next in
          log.append(request.headers[.from] ?? "nobody")
          return try await next(request)
        },
      ])
    let inspect = RestingRequest(endpoint: Endpoint<Void, JSONValue>(.get, "/inspect", encoding: .query))
    #expect(try await Inspected(client.perform(inspect).response).values("From") == ["an interceptor"])
    #expect(log.elements == ["an interceptor"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor can respond without sending, and its response is decoded`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let answering = MiddlewareClosure { request, _ in
      Response(status: .ok, body: #"{"name": "Ada", "age": 36}"#, url: request.url)
    }
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [answering])
    let user = RestingRequest(endpoint: Endpoint<Void, User>(.get, "/user", encoding: .query))
    #expect(try await client.perform(user).value == User(name: "Ada"))
    // An upload that is not needed is over too.
    let progress = Log<TransferProgress>()
    let upload = RestingRequest(endpoint: Endpoint<User, User>(.put, "/user", encoding: .json), body: User(name: "Bob"))
    #expect(try await client.perform(upload) { progress.append($0) }.value == User(name: "Ada"))
    #expect(progress.elements == [TransferProgress(bytes: 23, total: 23)])
    #expect(server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor that sends again gets the next response`(tested: TestedAdapter) async throws {
    let server = try MockServer(.status(.serviceUnavailable), .status(.ok, body: #""there""#))
    let retrying = MiddlewareClosure { request, next in
      let response = try await next(request)
      return response.status == .serviceUnavailable ? try await next(request) : response
    }
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [retrying])
    let text = RestingRequest(endpoint: Endpoint<User, String>(.post, "/", encoding: .json), body: User(name: "Ada"))
    #expect(try await client.perform(text).value == "there" && server.recorded.count == 2)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor can replace an error with a response`(tested: TestedAdapter) async throws {
    let server = try MockServer { _ in .failure(.connectionClosed) }
    let recovering = MiddlewareClosure { request, next in
      do {
        return try await next(request)
      } catch is TransportError {
        return Response(status: .noContent, url: request.url)
      }
    }
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [recovering])
    let user = RestingRequest(endpoint: Endpoint<Void, User?>(.get, "/", encoding: .query))
    #expect(try await client.perform(user).value == nil && !server.recorded.isEmpty)
  }
}
