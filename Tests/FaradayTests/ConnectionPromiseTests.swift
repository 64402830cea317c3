import Faraday
import FaradayTesting
import TestSupport
import Testing

/// The verbs that return promises, over both adapters.
@Suite struct ConnectionPromiseTests {
  @Test(arguments: TestedAdapter.allCases) func `an invalid request is the promise's error`(tested: TestedAdapter)
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
      ("QUERY", connection.promise.send(HTTPRequest.Method("QUERY") ?? .get, "inspect")),
    ]
    for (method, promise) in promises {
      #expect(try await promise.then { try await $0.body.utf8Text() }.value.contains(method))
    }
    let head: Promise<Response> = connection.promise.head("echo")
    #expect(try await head.map(\.status).value == .ok)
  }

  @Test(arguments: TestedAdapter.allCases) func `chunks and progress reach the callbacks`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let size = 256 << 10
    let received = Log<Int>()
    let sent = Log<Int64>()
    let promise = connection.promise.post("echo", body: .data(.init(repeating: 0x61, count: size))) {
      $0.options.onChunk = { bytes in
        received.append(bytes.byteCount)
        return .continue
      }
    }.progress { sent.append($0.bytes) }
    #expect(try await promise.map(\.status).value == .ok)
    #expect(sent.elements.last == Int64(size))
    #expect(sent.elements == sent.elements.sorted())
    #expect(received.elements.reduce(0, +) >= size)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an upload's progress is a sequence that ends with the total`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let upload = connection.promise.put("echo", body: .data(.init(repeating: 0x61, count: 1 << 20)))
    var last: TransferProgress?
    for await progress in upload.progress { last = progress }
    #expect(last == TransferProgress(bytes: 1 << 20, total: 1 << 20) && last?.fraction == 1)
    #expect(try await upload.value.status == .ok)
    let json = connection.promise.post("echo", query: ["a": 1], json: ["name": "Ada"])
    #expect(try await json.value.decode([String: String].self) == ["name": "Ada"])
    let failed = connection.promise.post("x/{id}", variables: ["name": 1])
    #expect(await #expect(throws: InvalidValueError.self) { try await failed.value }?.isPath == true)
  }

  @Test @MainActor func `callbacks on the main actor can use its state`() async throws {
    let mock = MockAdapter()
    try mock.stub(.put, path: "/backup", status: .created)
    let backup = Backup()
    let done = Gate()
    backup.start(try Connection("https://api.test/", adapter: mock), "four")
    let failing = try Connection("https://api.test/", adapter: MockAdapter()).promise.get("x")
    failing.onComplete(on: .main) { _ in
      MainActor.assertIsolated()
      done.open()
    }
    #expect(await done.opened())
    await until { backup.result == "201 Created" && backup.fraction == 1 }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a cancelled promise cancels its request`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let arrived = Gate()
    let promise = connection.promise.get("stall/body") {
      $0.options.onChunk = { _ in
        arrived.open()
        return .continue
      }
    }
    #expect(await arrived.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
    await until { server.openConnectionCount == 0 }
  }
}
