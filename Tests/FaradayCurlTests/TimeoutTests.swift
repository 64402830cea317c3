import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// Timeouts end what would never end: a test waits for the timeout and for nothing else.
@Suite struct TimeoutTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test func `idle: no answer`() async throws {
    let error = try await transportError { try await connection.get("stall") { $0.options.timeouts.idle = .milliseconds(50) } }
    #expect(error.code == .idleTimeout && error.phase == .waiting)
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `idle: a body that stops, with what had arrived`(delivery: Delivery) async throws {
    let error = try await transportError {
      try await connection.get("stall/body") {
        $0.options.timeouts.idle = .milliseconds(50)
        $0.options.delivery = delivery
      }
    }
    #expect(error.code == .idleTimeout && error.phase == .receiving)
    if delivery == .buffered { #expect(error.partialResponse?.body.length == 10) }
  }

  @Test func `idle does not run out while bytes come`() async throws {
    let response = try await connection.get("drip?count=20&interval=50&size=1") { $0.options.timeouts.idle = .milliseconds(700) }
    #expect(response.body.length == 20)
  }

  @Test(arguments: [CurlAdapter.DriverKind.platform, .poll])
  func `idle counts from the last byte, however close to the limit the next one is`(driver: CurlAdapter.DriverKind) async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.driver = driver
    let response = try await server.connection(configuration).get("drip?count=3&interval=700&size=1") {
      $0.options.timeouts.idle = .milliseconds(1000)
    }
    #expect(response.body.length == 3)
  }

  @Test func `idle does not run out while a callback takes its time`() async throws {
    let gate = Gate()
    async let slow = connection.get("bytes/50000000") {
      let isFirst = Atomic<Bool>(true)
      $0.options.timeouts.idle = .milliseconds(300)
      $0.options.onChunk = { _ in
        if isFirst.exchange(false, ordering: .relaxed) { gate.wait() }
        return .continue
      }
    }
    _ = try await Connection(server.url + "/", adapter: CurlAdapter()).get("drip?count=2&interval=600&size=1")
    gate.open()
    #expect(try await slow.status == .ok)
  }

  @Test func `idle does not run out while the reader or the source is what is waited for`() async throws {
    let reader = try await connection.get("bytes/20000000") {
      $0.options.delivery = .streamed
      $0.options.timeouts.idle = .milliseconds(500)
    }
    var iterator = reader.body.makeAsyncIterator()
    _ = try await iterator.next()
    // Another exchange that takes far longer than the limit, by the server's clock.
    _ = try await connection.get("drip?count=2&interval=1200&size=1")
    var count = 0
    while let piece = try await iterator.next() { count += piece.count }
    #expect(count > 19_000_000)

    let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
    async let upload = connection.post("upload", body: .stream(pieces)) { $0.options.timeouts.idle = .milliseconds(500) }
    _ = try await connection.get("drip?count=2&interval=1200&size=1")
    continuation.finish()
    #expect(try await upload.status == .ok)
  }

  @Test(arguments: ["stall", "stall/body", "drip?count=1000&interval=10&size=1"])
  func `total: whatever happens meanwhile`(path: String) async throws {
    let error = try await transportError { try await connection.get(path) { $0.options.timeouts.total = .milliseconds(100) } }
    #expect(error.code == .totalTimeout)
  }

  @Test func `total runs while a request waits for a slot`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.connectionsPerOrigin = 1
    let single = try server.connection(configuration)
    let blocking = Task { try await single.get("stall") }
    while server.requestCount == 0 { await Task.yield() }
    let error = try await transportError { try await single.get("hello") { $0.options.timeouts.total = .milliseconds(50) } }
    #expect(error.code == .totalTimeout)
    blocking.cancel()
    _ = await blocking.result
  }

  @Test func `total runs while the reader takes its time`() async throws {
    let response = try await connection.get("bytes/50000000") {
      $0.options.delivery = .streamed
      $0.options.timeouts.total = .milliseconds(100)
    }
    var iterator = response.body.makeAsyncIterator()
    _ = try await iterator.next()
    _ = try await connection.get("drip?count=2&interval=200&size=1")
    let error = try await #require(throws: TransportError.self) { while try await iterator.next() != nil {} }
    #expect(error.code == .totalTimeout)
  }

  @Test func `connect: a listener whose queue is full`() async throws {
    let full = try FullListener()
    var request = try Request(.get, "http://127.0.0.1:\(full.port)/")
    request.options.timeouts.connect = .milliseconds(100)
    let error = try await transportError { [request] in try await connection.run(request) }
    #expect(error.code == .connectTimeout && error.phase == .connecting)
  }

  @Test func `no limit at all is no limit`() async throws {
    let response = try await connection.get("hello") { $0.options.timeouts = Timeouts(connect: nil, idle: nil, total: nil) }
    #expect(response.status == .ok)
  }
}
