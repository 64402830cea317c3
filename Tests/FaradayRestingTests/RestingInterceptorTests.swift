import Faraday
import FaradayResting
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Interceptors of a ``RestingClient``: what they may do, and in which order.
@Suite struct RestingInterceptorTests {
  struct Stopped: Error {}

  private let log = Log<String>()
  private let hello = RestingRequest(endpoint: Endpoint<Nothing, Nothing>(.get, "/hello", encoding: .query))

  private func noting(_ name: String) -> any Middleware {
    MiddlewareClosure { [log] request, next in
      log.append("\(name) request")
      let response = try await next(request)
      log.append("\(name) \(response.status.code)")
      return response
    }
  }

  // MARK: what goes wrong

  @Test(arguments: TestedAdapter.allCases)
  func `the error of an interceptor is the call's, on either way`(tested: TestedAdapter) async throws {
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
  func `any status is a response to interceptors, and an error after them`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [noting("a")])
    let failing = RestingRequest(endpoint: Endpoint<Nothing, Nothing>(.get, "/status/500", encoding: .query))
    await #expect(throws: UnexpectedStatus.self) { try await client.perform(failing) }
    #expect(log.elements == ["a request", "a 500"])
    let forgiving = MiddlewareClosure { request, next in
      var response = try await next(request)
      response.status = .ok
      return response
    }
    let patient = try RestingClient(server.url, adapter: tested.adapter, interceptors: [forgiving])
    #expect(try await patient.perform(failing).status == .ok)
  }

  // MARK: what they may do

  @Test(arguments: TestedAdapter.allCases)
  func `RK-02: interceptors see the request in their order, and the response in the reverse`(tested: TestedAdapter) async throws {
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
  func `RK-23: the last in the list sees what the others have made of the request`(tested: TestedAdapter) async throws {
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
    let inspect = RestingRequest(endpoint: Endpoint<Nothing, JSONValue>(.get, "/inspect", encoding: .query))
    #expect(try await Inspected(client.perform(inspect).response).values("From") == ["an interceptor"])
    #expect(log.elements == ["an interceptor"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `one that answers by itself sends nothing, and its answer is read`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let answering = MiddlewareClosure { request, _ in
      Response(status: .ok, body: #"{"name": "Ada", "age": 36}"#, url: request.url)
    }
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [answering])
    let user = RestingRequest(endpoint: Endpoint<Nothing, User>(.get, "/user", encoding: .query))
    #expect(try await client.perform(user).value == User(name: "Ada"))
    // An upload that is not needed is over too.
    let progress = Log<TransferProgress>()
    let upload = RestingRequest(endpoint: Endpoint<User, User>(.put, "/user", encoding: .json), body: User(name: "Bob"))
    #expect(try await client.upload(upload) { progress.append($0) }.value == User(name: "Ada"))
    #expect(progress.elements == [TransferProgress(bytes: 23, total: 23)])
    #expect(server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `one that sends again gets the next answer`(tested: TestedAdapter) async throws {
    let server = try AnsweringServer([AnsweringServer.answer(503), AnsweringServer.answer(200, body: #""there""#)])
    let retrying = MiddlewareClosure { request, next in
      let response = try await next(request)
      return response.status == .serviceUnavailable ? try await next(request) : response
    }
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [retrying])
    let text = RestingRequest(endpoint: Endpoint<User, String>(.post, "/", encoding: .json), body: User(name: "Ada"))
    #expect(try await client.perform(text).value == "there" && server.requestCount == 2)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `one may give a response in the place of an error`(tested: TestedAdapter) async throws {
    let server = try AnsweringServer([""])
    let recovering = MiddlewareClosure { request, next in
      do {
        return try await next(request)
      } catch is TransportError {
        return Response(status: .noContent, url: request.url)
      }
    }
    let client = try RestingClient(server.url, adapter: tested.adapter, interceptors: [recovering])
    let user = RestingRequest(endpoint: Endpoint<Nothing, User?>(.get, "/", encoding: .query))
    #expect(try await client.perform(user).value == nil && server.requestCount >= 1)
  }
}
