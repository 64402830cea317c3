@_spi(Adapters) import FaradayCore
import FaradayTesting
@testable import FaradayURLSession
import Foundation
import Synchronization
import Testing
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which requests get a connection, and when.
@Suite struct RequestQueueTests {
  /// How many requests a server holds, and held at most.
  private final class Held: Sendable {
    private let state = Mutex((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }
    func add(_ count: Int) {
      state.withLock { state in
        state.now += count
        state.most = max(state.most, state.now)
      }
    }
  }

  @Test(arguments: [1, 2])
  func `running requests never exceed the connection limit, including their bodies`(limit: Int)
    async throws
  {
    let held = Held()
    let server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        held.add(1)
        if head.hasPrefix("POST") { _ = try connection.read(exactly: 4) }
        // Long enough for another one to come, if it may.
        for _ in 0..<20 { sched_yield() }
        held.add(-1)
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    defer { server.stop() }
    let connection = try connection(to: server, limit: limit)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<60 {
        group.addTask {
          let response = index.isMultiple(of: 2) ? try await connection.get() : try await connection.post(body: "body")
          #expect(response.status == .ok)
        }
      }
      try await group.waitForAll()
    }
    #expect(held.most <= limit)
  }

  @Test func `a hanging server does not delay requests to others`() async throws {
    let mayAnswer = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      mayAnswer.wait()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    defer { server.stop() }
    let connection = try connection(to: server, limit: 1)
    async let first = connection.get()
    async let second = connection.get()
    await until { server.connectionCount == 1 }
    let other = try LocalServer()
    #expect(try await connection.get(other.url + "/hello").status == .ok)
    mayAnswer.open()
    let statuses = try await [first.status, second.status]
    #expect(statuses == [.ok, .ok])
  }

  @Test func `cancelled waiting requests are released, and nothing is retained`() async throws {
    let server = try RawServer { $0.waitForClose() }
    defer { server.stop() }
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = 1
    let session = Session(configuration)
    let request = try Capabilities.all.checked(Request(server.url), of: "URLSessionAdapter")
    let exchanges = (0..<201).map { _ in Exchange(request, over: session) }
    for exchange in exchanges { exchange.start() }
    #expect(session.queue.waitingCount == 200)
    for exchange in exchanges.dropFirst() { exchange.fail(CancellationError()) }
    #expect(session.queue.waitingCount < 50)
    exchanges[0].fail(CancellationError())
    #expect(session.queue.waitingCount == 0)
    #expect(session.queue.originCount == 0)
  }

  private func connection(to server: RawServer, limit: Int) throws -> Connection {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = limit
    return try Connection(server.url + "/", adapter: URLSessionAdapter(configuration))
  }
}
