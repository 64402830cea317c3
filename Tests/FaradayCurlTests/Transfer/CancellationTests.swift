@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

@Suite struct CancellationTests {
  @Test func `a request that waits for a slot can be cancelled, and the others continue`() async throws {
    guard #available(macOS 26, *) else { return }
    let heads = Log<String>()
    let mayAnswer = Gate()
    let server = try RawServer { connection in
      while true {
        heads.append(String(try connection.readHead().split(separator: " ")[1]))
        guard mayAnswer.wait() else { return }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let other = try LocalServer()
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnectionsPerOrigin = 1
    let connection = try server.connection(configuration)
    let first = Task { try await connection.get("first") }
    await until { !heads.elements.isEmpty }
    // Each is handed over when these are there, and the engine has heard of them when it has done something later.
    let waiting = (0..<3).map { _ in
      Task.immediate {
        // A cancellation that is ignored fails with this error instead of a hang.
        try await connection.get("waiting") { $0.options.timeouts.total = .seconds(20) }
      }
    }
    let last = Task.immediate { try await connection.get("last") }
    #expect(try await Connection(other.url + "/", adapter: connection.stack).get("hello").status == .ok)
    for task in waiting { task.cancel() }
    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    // All that while the first has had the slot.
    #expect(heads.elements == ["/first"])
    mayAnswer.open()
    #expect(try await first.value.status == .ok)
    #expect(try await last.value.status == .ok)
    #expect(heads.elements == ["/first", "/last"])
    #expect(server.connectionCount == 1)
  }
}
