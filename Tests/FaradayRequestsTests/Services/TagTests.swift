import Faraday
import FaradayTesting
import TestSupport
import Testing

@Suite struct TagTests {
  @Test(arguments: TestedAdapter.allCases)
  func `cancelling a tag cancels all its loads once, and no others`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let network = ServiceNetwork(Connection(adapter: tested.adapter))
    let stalling = Example(server.url, network).server.get("stall")
    let outcomes = Log<String>()
    let note = { @Sendable (name: String) in
      { @Sendable (outcome: Result<Response, any Error>) in
        switch outcome {
        case .success: outcomes.append("\(name) success")
        case .failure(let error): outcomes.append("\(name) \(type(of: error))")
        }
      }
    }
    let waiting = Task { try await stalling.tags(["search", "other"]).load() }
    let promise: Promise<Response> = stalling.tag("search").promise { try await $0.load() }
    let called = stalling.tag("search").load(completion: note("callback"))
    let untouched = stalling.tag("feed").load(completion: note("feed"))
    await until { server.requestCount == 4 }
    network.cancel(tag: "nothing")
    #expect(promise.outcome == nil && outcomes.elements.isEmpty)
    network.cancel(tag: "search")
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await #expect(throws: CancellationError.self) { try await promise.value }
    await #expect(throws: CancellationError.self) { try await called.value }
    #expect(outcomes.elements == ["callback CancellationError"] && untouched.outcome == nil)
    network.cancel(tag: "feed")
    network.cancel(tag: "search")
    await #expect(throws: CancellationError.self) { try await untouched.value }
    #expect(outcomes.elements == ["callback CancellationError", "feed CancellationError"])
    // A cancelled load closes its connection.
    await until { server.openConnectionCount == 0 }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a load that waits for a constraint can be cancelled by its tag`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let held = Held()
    let network = ServiceNetwork(Connection(adapter: tested.adapter), constraints: [held])
    let task = Task { try await Example(server.url, network).server.get("hello").tag("t").load() }
    await until { !held.begun.elements.isEmpty }
    network.cancel(tag: "t")
    await #expect(throws: CancellationError.self) { try await task.value }
    held.mayEnd.open()
    #expect(server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases, [[], ["t"]])
  func `a load cancelled before it starts sends nothing, and a waiting load can be cancelled`(
    tested: TestedAdapter, tags: [String]
  ) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).server.get("stall").tags(tags)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await resource.load()
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(server.requestCount == 0)
    let late = Task { try await resource.load() }
    await until { server.requestCount == 1 }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `a finished load releases its response`() async throws {
    final class Large: Sendable {}
    enum Key: ResponseKey { typealias Value = Large }
    let mock = MockAdapter()
    let example = Example(mock) { request in
      var response = Response(status: .ok, url: request.url)
      response[Key.self] = Large()
      return response
    }
    weak var large: Large?
    do {
      let response = try await example.server.get("a").tag("a").load()
      large = response[Key.self]
      #expect(large != nil)
    }
    await until { large == nil }
    withExtendedLifetime(example) {}
  }

  @Test(arguments: TestedAdapter.allCases)
  func `interceptors see the tags of resource and connection, and a cancelled tag can be loaded again`(
    tested: TestedAdapter
  ) async throws {
    let server = try LocalServer()
    let log = Log<[String]>()
    var connection = Connection(adapter: tested.adapter)
    connection.defaults.tags = ["all"]
    let network = ServiceNetwork(
      connection,
      interceptors: [.request { log.append($0.options.tags.sorted()) }, .response { log.append($1.options.tags.sorted()) }])
    let resource = Example(server.url, network).server.get("hello").tag("b").tags(["a", "b"])
    network.cancel(tag: "a")
    #expect(try await resource.load().status == .ok)
    #expect(log.elements == [["a", "all", "b"], ["a", "all", "b"]])
  }
}
