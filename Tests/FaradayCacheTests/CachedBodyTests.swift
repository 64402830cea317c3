import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// How bodies are stored as they pass, and returned, over real adapters.
@Suite struct CachedBodyTests {
  private func store(_ body: Body, length: String? = nil) async throws -> (server: CachedServer, connection: Connection) {
    let server = CachedServer()
    var headers: HTTPFields = [.cacheControl: "max-age=60"]
    headers[.contentLength] = length
    server.answer { [headers] in Response(status: .ok, headers: headers, body: body, url: $0.url) }
    return (server, try server.connection())
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a body is stored from each delivery, and returned in each`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let text = String(repeating: "0123456789", count: 30_000)
    let server = try MockServer(.text(text, headers: [.cacheControl: "max-age=60"]))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cache()])
    let first = try await delivery.get("a", over: connection)
    #expect(first.text == text && first.response.cacheResult == CacheResult(.miss, .onceRead))
    for again in TestedDelivery.allCases {
      let hit = try await again.get("a", over: connection)
      #expect(hit.text == text && hit.response.cacheResult?.outcome == .hit)
    }
    #expect(server.recorded.count == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a 304 over a real connection returns the stored body`(tested: TestedAdapter) async throws {
    let server = try MockServer { request in
      request.headers[.ifNoneMatch] == "\"a\""
        ? .status(.notModified, headers: [.eTag: "\"a\""])
        : .text("Hello", headers: [.eTag: "\"a\"", .cacheControl: "no-cache"])
    }
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cache()])
    for delivery in TestedDelivery.allCases {
      #expect(try await delivery.get("a", over: connection).text == "Hello")
    }
    #expect(server.recorded.map { $0.headers[.ifNoneMatch] } == [nil, "\"a\"", "\"a\""])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a truncated body is not stored`(tested: TestedAdapter) async throws {
    let server = try MockServer { _ in .text("Hello, you", headers: [.cacheControl: "max-age=60"]).cut(after: 5) }
    let store = MemoryCache()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cache(in: store)])
    await #expect(throws: TransportError.self) { try await connection.get("a") }
    #expect(store.count == 0)
  }

  /// A server with a cacheable body that does not end, and a gate that opens when the client has closed the connection.
  private func endlessServer() throws -> (server: RawServer, isLeft: Gate) {
    let isLeft = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n")
      connection.waitForClose()
      isLeft.open()
    }
    return (server, isLeft)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a body that is not read to its end is not stored, and its connection is closed`(tested: TestedAdapter) async throws {
    let (server, isLeft) = try endlessServer()
    let store = MemoryCache()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cache(in: store)])
    do {
      let response = try await connection.get("a") { $0.options.delivery = .streamed }
      #expect(response.cacheResult?.storing == .onceRead)
      for try await piece in response.body {
        #expect(!piece.isEmpty)
        break
      }
    }
    #expect(await isLeft.opened())
    #expect(store.count == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `cancelling the reader ends the transfer and stores nothing`(tested: TestedAdapter) async throws {
    let (server, isLeft) = try endlessServer()
    let store = MemoryCache()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cache(in: store)])
    let started = Gate()
    let task = Task {
      let response = try await connection.get("a") { $0.options.delivery = .streamed }
      for try await _ in response.body { started.open() }
    }
    #expect(await started.opened())
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(await isLeft.opened())
    #expect(store.count == 0)
  }

  @Test func `storing does not read ahead of the reader`() async throws {
    let produced = Log<Int>()
    let pieces = AsyncStream<Data> {
      produced.append(1)
      return produced.elements.count <= 5 ? Data([1]) : nil
    }
    let (_, connection) = try await store(.stream(pieces))
    let response = try await connection.get("a") { $0.options.delivery = .streamed }
    #expect(produced.elements.isEmpty)
    var iterator = response.body.makeAsyncIterator()
    _ = try await iterator.next()
    #expect(produced.elements.count == 1)
    #expect(try await connection.get("a").cacheResult?.outcome == .miss)
  }

  @Test func `a body above the bound is passed on completely and not stored`() async throws {
    for (length, storing) in [(Int64(1000), CacheResult.Storing.notStored(.tooLarge)), (nil, .onceRead)]
      as [(Int64?, CacheResult.Storing)]
    {
      let memory = MemoryCache(maximumSize: 1 << 20, maximumEntrySize: 999)
      let server = CachedServer(store: memory)
      server.answer {
        let body = Body.stream(Pieces([Data(count: 600), Data(count: 400)]), length: length, isReplayable: true)
        return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: body, url: $0.url)
      }
      let response = try await server.get()
      #expect(response.cacheResult?.storing == storing)
      #expect(try await response.body.collect().count == 1000)
      #expect(memory.count == 0)
    }
  }

  @Test func `a body of exactly the bound is stored`() async throws {
    let server = CachedServer(store: MemoryCache(maximumSize: 1 << 20, maximumEntrySize: 1000))
    server.answer {
      let body = Body.stream(Pieces(size: 1000), isReplayable: true)
      return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: body, url: $0.url)
    }
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .hit)
  }

  @Test func `a body shorter than its length is not stored`() async throws {
    let (server, connection) = try await store(.stream(Pieces("abc"), length: 4, isReplayable: true))
    _ = try await connection.get("a")
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `callbacks are called on a hit as on a miss`() async throws {
    let (_, connection) = try await store("Hello")
    for _ in 0..<2 {
      let (heads, progress) = (Log<Int>(), Log<Int64>())
      let response = try await connection.get("a") {
        $0.options.onHead = { heads.append($0.status.code) }
        $0.options.onDownloadProgress = { progress.append($0.bytes) }
      }
      #expect(heads.elements == [200] && progress.elements == [5])
      #expect(try await response.body.utf8Text() == "Hello")
    }
  }

  @Test func `a background revalidation calls no callbacks of the request that caused it`() async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=1, stale-while-revalidate=99"])
    try await server.get()
    server.advance(by: 2)
    let calls = Log<Int>()
    _ = try await server.connection().get("a") {
      $0.options.onHead = { _ in calls.append(1) }
      $0.options.onChunk = { _ in
        calls.append(2)
        return .continue
      }
    }
    await server.revalidationsEnded()
    #expect(calls.elements == [1, 2])
    #expect(try await server.look() == "body 2, hit")
  }

  @Test(arguments: [nil, .seconds(10), .seconds(100)] as [Duration?])
  func `a background revalidation is a complete GET with a timeout of a minute`(timeout: Duration?) async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=1, stale-while-revalidate=99"])
    try await server.get()
    server.advance(by: 2)
    _ = try await server.connection().head("a") {
      $0.options.delivery = .streamed
      $0.options.timeouts.total = timeout
    }
    await server.revalidationsEnded()
    let sent = try #require(server.mock.recorded.last?.request)
    #expect(server.count == 2 && sent.method == .get && sent.options.delivery == .buffered)
    #expect(sent.options.timeouts.total == min(timeout ?? .seconds(60), .seconds(60)))
    #expect(try await server.look() == "body 2, hit")
  }

  @Test func `many concurrent requests for one URL each get the whole response`() async throws {
    let (server, connection) = try await store(.stream(Pieces("abc", "def"), isReplayable: true))
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await connection.get("a").body.utf8Text() } }
      for try await text in group { #expect(text == "abcdef") }
    }
    #expect(try await server.look() == "abcdef, hit")
  }
}
