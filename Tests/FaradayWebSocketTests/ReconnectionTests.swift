@testable import FaradayWebSocket
import Faraday
import FaradayCurl
import FaradayTesting
import Testing

@Suite struct ReconnectionTests {
  private let adapter = CurlAdapter()

  /// A server whose connections behave one after the other as the steps say; the last step is repeated.
  private func server(_ steps: [@Sendable (RawConnection) throws -> Void]) throws -> RawServer {
    let connections = Log<Void>()
    return try RawServer { connection in
      connections.append(())
      try steps[min(connections.elements.count, steps.count) - 1](connection)
    }
  }

  private func socket(_ body: @escaping @Sendable (WebSocketClient) throws -> Void) -> @Sendable (RawConnection) throws -> Void {
    WebSocketServer.accepting("", body)
  }

  private func status(_ line: String) -> @Sendable (RawConnection) throws -> Void {
    { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 \(line)\r\nContent-Length: 0\r\n\r\n")
    }
  }

  private func policy(limit: Int = 10, log: Log<WebSocket.Interruption>? = nil) -> WebSocket.Reconnection {
    var policy = WebSocket.Reconnection()
    policy.limit = limit
    policy.random = { 0 }
    policy.onReconnect = { log?.append($0) }
    return policy
  }

  @Test func `the messages go on after every end that may pass`() async throws {
    let server = try server([
      socket { client in
        try client.send("1")
        try client.close(code: 1012)
      },
      status("503 Service Unavailable"),
      socket { client in
        try client.send("2")
        // A frame that is cut off.
        try client.connection.send([0x81])
      },
      socket { client in try client.send("3") },
      socket { client in
        try client.send("4")
        try client.close(code: 1001)
      },
      socket { client in
        try client.send("5")
        try client.close(code: 1000)
      },
    ])
    defer { server.stop() }
    let (log, opened) = (Log<WebSocket.Interruption>(), Log<Void>())
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy(log: log)) { _ in
      opened.append(())
    }
    var texts: [String] = []
    for try await message in messages { texts.append(message.text ?? "") }
    #expect(texts == ["1", "2", "3", "4", "5"])
    #expect(opened.elements.count == 5)
    #expect(log.elements.map(\.reconnections) == [0, 1, 0, 0, 0])
    #expect((log.elements[0].error as? WebSocketError)?.reason == .closed(.init(code: .serviceRestart, reason: "")))
    #expect((log.elements[1].error as? StatusError)?.status == .serviceUnavailable)
    #expect(log.elements[4].error == nil)
  }

  @Test func `each socket is subscribed, and a server that closes meanwhile reconnects`() async throws {
    let server = try server([
      socket { client in try client.close(code: 1013) },
      socket { client in
        let subscription = try client.readMessage()
        try client.send("for \(String(decoding: subscription.payload, as: UTF8.self))")
        try client.close(code: 1000)
      },
    ])
    defer { server.stop() }
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy()) { socket in
      // The first server's close frame has arrived after this.
      try? await socket.ping()
      try await socket.send("EUR")
    }
    var texts: [String] = []
    for try await message in messages { texts.append(message.text ?? "") }
    #expect(texts == ["for EUR"])
    #expect(server.connectionCount == 2)
  }

  @Test func `other ends are not tried again`() async throws {
    for step in [status("404 Not Found"), socket { try $0.close(code: 1008) }, socket { try $0.connection.send([0x83, 0]) }] {
      let server = try server([step])
      defer { server.stop() }
      let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy())
      await #expect(throws: (any Error).self) { for try await _ in messages {} }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `there is no reconnection after the application has closed the socket`() async throws {
    let server = try WebSocketServer.echo()
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy()) { socket in
      await socket.close(.goingAway)
    }
    for try await _ in messages {}
    #expect(server.connectionCount == 1)
  }

  @Test func `a server that goes away each time is an error at the limit`() async throws {
    let server = try server([socket { try $0.close(code: 1001) }])
    defer { server.stop() }
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy(limit: 2))
    let error = await #expect(throws: WebSocketError.self) { for try await _ in messages {} }
    #expect(error?.reason == .closed(.init(code: .goingAway, reason: "")))
    #expect(server.connectionCount == 3)
    for try await _ in try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy(limit: 0)) {}
    #expect(server.connectionCount == 4)
  }

  @Test func `releasing the iterator closes a socket that was kept`() async throws {
    let hasClosed = Gate()
    let server = try WebSocketServer { client in
      try client.send("1")
      client.connection.waitForClose()
      hasClosed.open()
    }
    let kept = Log<WebSocket>()
    do {
      let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy()) { kept.append($0) }
      for try await _ in messages { break }
    }
    #expect(await hasClosed.opened())
    #expect(kept.elements.count == 1)
  }

  @Test func `the error of a closure is thrown, and ends the sequence`() async throws {
    struct Refused: Error {}
    let server = try WebSocketServer.echo()
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy()) { _ in throw Refused() }
    var iterator = messages.makeAsyncIterator()
    await #expect(throws: Refused.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(server.connectionCount == 1)
  }

  @Test func `after the limit of attempts without a message the last error is thrown`() async throws {
    let server = try server([
      socket { client in try client.send("1") }, status("429 Too Many Requests"), status("500 Internal Server Error"),
    ])
    defer { server.stop() }
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy(limit: 3))
    var iterator = messages.makeAsyncIterator()
    #expect(try await iterator.next() == .text("1"))
    let error = await #expect(throws: StatusError.self) { try await iterator.next() }
    #expect(error?.status == .internalServerError)
    #expect(server.connectionCount == 4)
  }

  @Test func `cancellation ends the wait for a reconnection`() async throws {
    let server = try server([status("503 Service Unavailable")])
    defer { server.stop() }
    let clock = ManualClock()
    var policy = policy()
    (policy.clock, policy.random) = (clock, { 1 })
    let messages = try Connection(server.url, adapter: adapter).webSocketMessages(reconnects: policy)
    let reader = Task { for try await _ in messages {} }
    await clock.sleepers(1)
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(server.connectionCount == 1)
  }

  @Test func `delays grow, and Retry-After is a minimum`() throws {
    var policy = policy(limit: 100)
    policy.random = { 1 }
    policy.now = { 0 }
    let delays = (0..<7).map { policy.delay(after: nil, reconnections: $0) }
    #expect(delays == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    let request = try Request("http://host/")
    func delay(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Duration? {
      policy.delay(after: StatusError(Response(status: status, headers: fields, url: request.url), to: request), reconnections: 0)
    }
    #expect(delay(.tooManyRequests, [.retryAfter: "60"]) == .seconds(61))
    #expect(delay(.tooManyRequests, [.retryAfter: "301"]) == nil)
    #expect(delay(.badRequest, [:]) == nil)
    #expect(policy.delay(after: nil, reconnections: 100) == nil)
  }
}
