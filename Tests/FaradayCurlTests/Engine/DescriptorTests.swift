@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// Requests in a process without free descriptors. They are sent from the engine's thread, which gets no descriptor.
@Suite struct DescriptorTests {
  private func code(of connection: Connection, _ path: String) async throws -> TransportError.Code? {
    do {
      _ = try await NoDescriptors.during { try await connection.get(path) }
      return nil
    } catch let error as TransportError {
      return error.code
    }
  }

  @Test func `a request that gets no socket fails with that reason, and a later one is served`() async throws {
    let server = try LocalServer()
    let adapter = CurlAdapter()
    let connection = try Connection(server.url + "/", adapter: adapter)
    func ask() async throws -> [TransportError.Code?] {
      var codes: [TransportError.Code?] = []
      for _ in 0..<2 { codes.append(try await code(of: connection, "hello")) }
      #expect(try await connection.get("hello").status == .ok)
      return codes
    }
    #expect(
      try await withTaskExecutorPreference(adapter.taskExecutor) { try await ask() } == [.outOfDescriptors, .outOfDescriptors])
    #expect(server.connectionCount == 1)
  }

  @Test func `a lookup that fails for lack of descriptors is not reported as a missing name`() async throws {
    NameLookup.add("short.test", isFound: false)
    let adapter = CurlAdapter()
    let connection = try Connection("http://short.test:1/", adapter: adapter)
    let short = try await withTaskExecutorPreference(adapter.taskExecutor) { try await code(of: connection, "hello") }
    #expect(short == .outOfDescriptors)
    #expect(try await transportError { try await connection.get() }.code == .nameNotFound)
  }
}
