import Faraday
import FaradayHAL
import FaradayTesting
import TestSupport
import Testing

/// HAL in typed requests, and following as a promise.
@Suite struct HALRequestsTests {
  @Test(arguments: TestedAdapter.allCases)
  func `a body that is not HAL is an error with its position`(tested: TestedAdapter) async throws {
    let server = try PageServer(["/": #"{"_links": {"next": [{"href": 1}]}}"#])
    let connection = Connection(adapter: tested.adapter)
    let error = await #expect(throws: BodyDecodingError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: server.url + "/", receiving: .hal))
    }
    #expect(error?.path == "_links.next[0].href")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a typed request sends and receives HAL`(tested: TestedAdapter) async throws {
    let server = try PageServer(["/orders": #"{"total": 30, "_links": {"self": {"href": "/orders/1"}}}"#])
    let order = Representation(properties: ["total": 30])
    let made = try await Connection(adapter: tested.adapter).perform(
      TypedRequest(.post, baseURL: server.url, endpoint: "orders").sending(.hal(order)).receiving(.hal))
    #expect(made.value.selfLink?.href == "/orders/1")
    #expect(made.value.properties["total"]?.int == 30)
    #expect(server.values("Content-Type") == ["application/hal+json"])
    #expect(server.values("Accept") == ["application/hal+json, application/json"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a promise follows relations like the asynchronous call`(tested: TestedAdapter) async throws {
    let server = try PageServer(["/": #"{"_links": {"next": {"href": "/2"}}}"#, "/2": #"{"page": 2}"#])
    let connection = try Connection(server.url + "/", adapter: tested.adapter)
    let promise = connection.promise { try await $0.follow("next") }
    #expect(try await promise.map { $0.last?.properties["page"]?.int }.value == 2)
    let missing = connection.promise { try await $0.follow(["nowhere"]) }
    await #expect(throws: HALError.self) { try await missing.value }
  }
}
