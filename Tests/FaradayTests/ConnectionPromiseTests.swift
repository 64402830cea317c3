import Faraday
import FaradayTesting
import TestedAdapters
import Testing

/// The verbs that return promises, over both adapters.
@Suite struct ConnectionPromiseTests {
  @Test(arguments: TestedAdapter.allCases) func `a request that cannot be built is the promise's outcome`(tested: TestedAdapter)
    async throws
  {
    let connection = Connection(adapter: tested.adapter)
    let error = await #expect(throws: TransportError.self) { () async throws in
      let promise: Promise<Response> = connection.promise.get("http://[")
      _ = try await promise.value
    }
    #expect(error?.code == .invalidURL)
  }

  @Test(arguments: TestedAdapter.allCases) func `every verb has a promise`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let promises: [(String, Promise<Response>)] = [
      ("GET", connection.promise.get("inspect")), ("POST", connection.promise.post("inspect", body: "a")),
      ("PUT", connection.promise.put("inspect", body: "a")),
      ("PATCH", connection.promise.patch("inspect", body: "a")), ("DELETE", connection.promise.delete("inspect")),
      ("OPTIONS", connection.promise.options("inspect")),
      ("QUERY", connection.promise.run(HTTPRequest.Method("QUERY") ?? .get, "inspect")),
    ]
    for (method, promise) in promises {
      #expect(try await promise.then { try await $0.body.text() }.value.contains(method))
    }
    let head: Promise<Response> = connection.promise.head("echo")
    #expect(try await head.map(\.status).value == .ok)
  }

  @Test(arguments: TestedAdapter.allCases) func `chunks and progress come to the callbacks`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let size = 256 << 10
    let received = Log<Int>()
    let sent = Log<Int64>()
    let promise = connection.promise.post(
      "echo", body: .data(.init(repeating: 0x61, count: size)), onUploadProgress: { sent.append($0.bytes) },
      onChunk: { bytes in
        received.append(bytes.byteCount)
        return .continue
      })
    #expect(try await promise.map(\.status).value == .ok)
    #expect(sent.elements.last == Int64(size))
    #expect(received.elements.reduce(0, +) >= size)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a cancelled promise cancels its request`(tested: TestedAdapter) async throws {
    let server = try EndlessServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let arrived = Gate()
    let promise = connection.promise.get(
      "",
      onChunk: { _ in
        arrived.open()
        return .continue
      })
    #expect(await arrived.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
    #expect(await server.isLeft.opened())
  }
}
