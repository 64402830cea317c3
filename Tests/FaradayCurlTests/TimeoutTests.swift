import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Testing

/// Timeouts end what would never end: a test waits for the timeout and for nothing else.
@Suite struct TimeoutTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
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
}
