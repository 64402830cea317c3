@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// Timeouts of exchanges that would never end. The tests wait only for the timeout.
@Suite struct TimeoutTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test(arguments: [CurlAdapter.DriverKind.platform, .poll])
  func `the idle timeout counts from the last byte, even just before the limit`(driver: CurlAdapter.DriverKind) async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.driver = driver
    let adapter = CurlAdapter(configuration)
    try await PacedServer.run(count: 3, interval: .milliseconds(700), limit: .milliseconds(1000)) { url, limit, begin in
      let response = try await Connection(url, adapter: adapter).get {
        $0.options.timeouts.idle = limit
        $0.options.onHead = { _ in begin() }
      }
      #expect(response.body.length == 3)
    }
  }

  @Test func `the idle timeout does not expire during a callback`() async throws {
    let other = try Connection(server.url + "/", adapter: CurlAdapter())
    // How long the server takes for the rest of the body is the machine's.
    try await patiently(from: .milliseconds(300), repeating: .idleTimeout) { limit in
      let gate = Gate()
      async let slow = connection.get("bytes/50000000") {
        let isFirst = Atomic<Bool>(true)
        $0.options.timeouts.idle = limit
        $0.options.onChunk = { _ in
          if isFirst.exchange(false, ordering: .relaxed) { gate.wait() }
          return .continue
        }
      }
      _ = try await other.get("drip?count=2&interval=\(2 * limit.inMilliseconds)&size=1")
      gate.open()
      try expectEqual(try await slow.status, .ok)
    }
  }

  @Test func `an error has the metrics up to the failure`() async throws {
    let closing = try RawServer { connection in _ = try connection.readHead() }
    defer { closing.stop() }
    let error = try await expectFailure(.connectionClosed) { try await closing.connection().get() }
    let metrics = error.metrics ?? TransferMetrics()
    #expect(metrics.remoteAddress == "127.0.0.1:\(closing.port)" && metrics.connect != nil && metrics.firstByte == nil)
    #expect(metrics.total ?? .zero >= metrics.connect ?? .zero && metrics.requestSize > 0)
    let unsent = try await transportError {
      try await connection.get("x") {
        $0.body = Body.data(Data("a".utf8))
        $0.method = .trace
      }
    }
    #expect(unsent.metrics == nil)
  }

  @Test func `the total timeout includes the wait for a slot`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnectionsPerOrigin = 1
    let single = try server.connection(configuration)
    let blocking = Task { try await single.get("stall") }
    await until { server.requestCount > 0 }
    let error = try await transportError { try await single.get("hello") { $0.options.timeouts.total = .milliseconds(50) } }
    #expect(error.code == .totalTimeout)
    blocking.cancel()
    _ = await blocking.result
  }

  @Test func `a timeout in the queue does not change the timeouts of other requests`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnectionsPerOrigin = 1
    try await patiently(from: .seconds(1)) { [configuration] limit in
      let adapter = CurlAdapter(configuration)
      let mayAnswer = Gate()
      let heads = Log<String>()
      let stalling = try RawServer { connection in
        heads.append(try connection.readHead())
        mayAnswer.wait()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        heads.append(try connection.readHead())
        connection.waitForClose()
      }
      let single = try Connection(stalling.url + "/", adapter: adapter)
      let first = Task { try await single.get("first") { $0.options.timeouts = Timeouts(idle: nil) } }
      await until { heads.elements.count == 1 }
      // While the request is queued its limit is the nearest. Later it has no limit.
      let second = Task { try await single.get("second") { $0.options.timeouts = Timeouts(queue: limit, idle: nil) } }
      let before = server.requestCount
      let third = Task {
        try await expectFailure(.totalTimeout) {
          try await Connection(server.url + "/", adapter: adapter).get("stall") {
            $0.options.timeouts = Timeouts(idle: nil, total: limit * 3 / 2)
          }
        }
      }
      await until { server.requestCount > before }
      mayAnswer.open()
      try expectEqual(try await first.value.status, .ok)
      _ = try await third.value
      second.cancel()
      _ = await second.result
      // The second request was still waiting at its limit.
      guard heads.elements.count == 2 else { throw TooSlow() }
    }
  }
}
