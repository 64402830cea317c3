@testable import FaradayWebSocket
import FaradayContentCoding
import Faraday
import FaradayCurl
import FaradayTesting
import TestSupport
import Testing

/// WebSockets over CurlAdapter and test servers.
@Suite struct WebSocketTests {
  private let adapter = CurlAdapter()

  private func open(
    _ server: WebSocketServer, protocols: [String] = [], _ change: (inout WebSocket.Configuration) -> Void = { _ in }
  ) async throws -> WebSocket {
    var configuration = WebSocket.Configuration()
    change(&configuration)
    return try await Connection(server.url, adapter: adapter).webSocket(
      "chat", protocols: protocols, configuration: configuration)
  }

  private func next(_ socket: WebSocket) async throws -> WebSocket.Message? {
    var iterator = socket.makeAsyncIterator()
    return try await iterator.next()
  }

  @Test func `messages of all kinds and sizes come back`() async throws {
    let server = try WebSocketServer.echo()
    let socket = try await open(server)
    for count in [0, 1, 125, 126, 65_535, 65_536, 1_000_000] {
      let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
      try await socket.send(bytes)
      #expect(try await next(socket) == .binary(bytes))
      let text = String(repeating: "ä", count: count)
      try await socket.send(text)
      #expect(try await next(socket) == .text(text))
    }
    try await socket.send(json: ["a": 1])
    #expect(try await next(socket)?.decode([String: Int].self) == ["a": 1])
    try await socket.ping()
    await socket.close(.normal, reason: "done")
    #expect(socket.closure == .init(code: .normal, reason: "done"))
    #expect(try await next(socket) == nil)
    let error = await #expect(throws: WebSocketError.self) { try await socket.send("late") }
    #expect(error?.reason == .notOpen)
    await #expect(throws: WebSocketError.self) { try await socket.ping() }
  }

  @Test func `the handshake has the path, the fields of the connection and the subprotocol`() async throws {
    let heads = Log<String>()
    let server = try WebSocketServer(fields: "Sec-WebSocket-Protocol: v2\r\nX-A: b\r\n") { client in
      heads.append(client.head)
      try client.close(code: 1000)
    }
    var connection = try Connection(server.url + "/base/", adapter: adapter)
    connection.headers[.authorization] = "Bearer x"
    let socket = try await connection.webSocket("chat", protocols: ["v1", "v2"], query: ["room": 1])
    #expect(socket.subprotocol == "v2")
    #expect(socket.headers[HTTPField.Name("X-A") ?? .accept] == "b")
    #expect(try await next(socket) == nil)
    let head = heads.elements.first ?? ""
    #expect(head.hasPrefix("GET /base/chat?room=1 HTTP/1.1\r\n"))
    #expect(head.contains("Authorization: Bearer x\r\n"))
    #expect(head.contains("Sec-WebSocket-Protocol: v1, v2\r\n"))
    #expect(!head.lowercased().contains("accept-encoding"))
  }

  @Test func `ws and wss mean http and https`() async throws {
    let server = try WebSocketServer.echo()
    let url = "ws" + server.url.dropFirst(4)
    let socket = try await Connection(adapter: adapter).webSocket(url)
    try await socket.send("x")
    #expect(try await next(socket) == .text("x"))
    server.stop()
    let error = await #expect(throws: TransportError.self) {
      try await Connection(adapter: adapter).webSocket("WSS" + server.url.dropFirst(4))
    }
    #expect(error?.url.hasPrefix("https://") == true)
  }

  @Test func `another status is an error with the beginning of its body`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: adapter)
    let error = await #expect(throws: StatusError.self) { try await connection.webSocket("status/404") }
    #expect(error?.status == .notFound)
    let refused = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
      connection.waitForClose()
    }
    let wrong = await #expect(throws: WebSocketError.self) {
      try await Connection(refused.url, adapter: adapter).webSocket()
    }
    #expect(wrong?.description.contains("Sec-WebSocket-Accept") == true)
  }

  @Test func `a streamed message arrives as one, and other messages wait`() async throws {
    let server = try WebSocketServer.echo()
    let socket = try await open(server)
    let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
    continuation.yield("one ")
    async let streamed: Void = socket.send(streaming: pieces)
    continuation.yield("two ")
    async let other: Void = socket.send("other")
    continuation.yield("three")
    continuation.finish()
    try await streamed
    try await other
    var received = [try await next(socket)?.text, try await next(socket)?.text]
    // The other message may have been first.
    if received.first == "other" { received.reverse() }
    #expect(received == ["one two three", "other"])
  }

  @Test func `an error in a streamed message closes the connection`() async throws {
    struct Broken: Error {}
    let server = try WebSocketServer.echo()
    let socket = try await open(server)
    await #expect(throws: Broken.self) {
      try await socket.send(
        streaming: AsyncThrowingStream<Data, any Error> { continuation in
          continuation.yield(Data([1]))
          continuation.finish(throwing: Broken())
        })
    }
    await #expect(throws: WebSocketError.self) { try await socket.send("x") }
    #expect(try await next(socket) == nil)
    #expect(socket.closure?.code == .goingAway)
  }

  @Test func `concurrent senders send whole messages`() async throws {
    let server = try WebSocketServer.echo()
    let socket = try await open(server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for sender in 0..<8 {
        group.addTask {
          for number in 0..<50 { try await socket.send("\(sender)-\(number)-" + String(repeating: "x", count: 2000)) }
        }
      }
      group.addTask {
        var last = [Int](repeating: -1, count: 8)
        for _ in 0..<400 {
          let parts = try #require(try await socket.next()?.text).split(separator: "-")
          let (sender, number) = (Int(parts[0]) ?? 0, Int(parts[1]) ?? 0)
          // Each sender's messages stay in order.
          #expect(number == last[sender] + 1)
          last[sender] = number
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `compressed messages pass in both directions`() async throws {
    let server = try WebSocketServer(fields: "Sec-WebSocket-Extensions: permessage-deflate\r\n") { client in
      let inflater = MessageInflater(keepsContext: true)
      let deflater = MessageDeflater(keepsContext: true)
      while true {
        let message = try client.readMessage()
        guard message.opcode != .close else { return try client.send(.close, message.payload) }
        var plain = message.isCompressed ? Data() : message.payload
        for part in message.isCompressed ? [message.payload, MessageInflater.end] : [] {
          inflater.feed(part)
          while let piece = try inflater.next() { plain += piece }
        }
        try client.send(message.opcode, try deflater.compress(plain, isEnd: true), isCompressed: true)
      }
    }
    let socket = try await open(server) { $0.compresses = true }
    for text in ["small", String(repeating: "large ", count: 10_000), "small", String(repeating: "large ", count: 10_000)] {
      try await socket.send(text)
      #expect(try await next(socket) == .text(text))
    }
    try await socket.send(streaming: Pieces("one ", "two ", "three"))
    #expect(try await next(socket) == .binary(Data("one two three".utf8)))
    await socket.close()
    #expect(socket.closure?.code == .normal)
  }

  @Test func `a sender that does not read learns that the connection has ended`() async throws {
    let server = try WebSocketServer { client in
      _ = try client.readMessage()
      // More than the socket takes in: its reader waits for room, and does not see the end.
      for number in 0..<100 { try client.send("\(number)") }
      client.connection.reset()
    }
    let socket = try await open(server)
    let error = await #expect(throws: WebSocketError.self) {
      while true { try await socket.send(Data(count: 100_000)) }
    }
    #expect(error?.reason == .notOpen)
  }

  @Test func `a sender that does not read is not stuck with a server that does not read either`() async throws {
    let clock = ManualClock()
    let server = try WebSocketServer { client in
      for number in 0..<100 { try client.send("\(number)") }
      Gate().wait()
    }
    let socket = try await open(server) { $0.clock = clock }
    let hasEnded = Gate()
    let sender = Task {
      defer { hasEnded.open() }
      while true { try await socket.send(Data(count: 1_000_000)) }
    }
    let time = Task {
      while !Task.isCancelled {
        await clock.sleepers(1)
        clock.advance(by: .seconds(30))
      }
    }
    #expect(await hasEnded.opened())
    time.cancel()
    let error = await #expect(throws: WebSocketError.self) { try await sender.value }
    #expect(error?.reason == .notOpen)
    server.stop()
  }

  @Test func `the middleware of a connection lets a handshake pass`() async throws {
    let server = try WebSocketServer.echo()
    let hedging = Hedging(.init(.fixed(.zero)))
    let connection = try Connection(
      server.url, adapter: adapter,
      middleware: .standard(cookies: CookieJar()) + [.statusValidation, hedging])
    let socket = try await connection.webSocket()
    try await socket.send("x")
    #expect(try await next(socket) == .text("x"))
    #expect(server.connectionCount == 1)
  }

  @Test func `compression and signatures of requests leave the frames alone`() async throws {
    let server = try WebSocketServer.echo()
    let credentials = AWSCredentials(accessKey: "id", secretKey: "secret")
    let connection = try Connection(
      server.url, adapter: adapter,
      middleware: .standard(
        compression: .compression,
        signature: .awsSignature(region: "eu-west-1", service: "execute-api", credentials: credentials)))
    let socket = try await connection.webSocket()
    try await socket.send("x")
    #expect(try await next(socket) == .text("x"))
  }

  @Test func `limits of a connection's requests do not end its sockets`() async throws {
    let mock = MockAdapter(isStrict: false)
    var connection = Connection(adapter: mock, middleware: [])
    connection.defaults.timeouts.total = .seconds(1)
    connection.defaults.timeouts.totalExcludingQueue = .seconds(1)
    connection.defaults.rates.minimum = 1000
    await #expect(throws: StatusError.self) { try await connection.webSocket("http://host/") }
    let options = try #require(mock.recorded.first).request.options
    #expect(options.timeouts.total == nil)
    #expect(options.timeouts.totalExcludingQueue == nil)
    #expect(options.rates.minimum == nil)
  }

  // MARK: the end

  @Test func `after close the end of the connection is no error, and a close frame with another code is one`() async throws {
    let echo = try WebSocketServer.echo()
    let closed = try await open(echo)
    await closed.close(.init(rawValue: 4000), reason: "mine")
    #expect(closed.closure?.code?.rawValue == 4000)
    #expect(try await next(closed) == nil)
    let rude = try WebSocketServer { client in while try client.readFrame().opcode != .close {} }
    let cut = try await open(rude)
    await cut.close()
    #expect(cut.closure == nil)
    #expect(try await next(cut) == nil)
    let failing = try WebSocketServer { client in
      while try client.readFrame().opcode != .close {}
      try client.close(code: 1011)
    }
    let failed = try await open(failing)
    await failed.close()
    await #expect(throws: WebSocketError.self) { try await next(failed) }
  }

  @Test func `messages before the end are delivered, then the sequence ends`() async throws {
    for (code, isError): (UInt16, Bool) in [(1000, false), (1001, false), (1011, true), (4000, true)] {
      let server = try WebSocketServer { client in
        for number in 0..<5 { try client.send("\(number)") }
        try client.close(code: code, reason: "why")
        client.connection.waitForClose()
      }
      let socket = try await open(server)
      var received: [String] = []
      var failure: WebSocketError?
      do {
        for try await message in socket { received.append(message.text ?? "") }
      } catch let error as WebSocketError {
        failure = error
      }
      #expect(received == ["0", "1", "2", "3", "4"])
      #expect((failure?.reason == .closed(.init(code: .init(rawValue: code), reason: "why"))) == isError)
      #expect(failure?.isTransient ?? false == (code == 1011))
      #expect(socket.closure == .init(code: .init(rawValue: code), reason: "why"))
    }
  }

  @Test func `the close frame of the server is answered with its code`() async throws {
    let answer = Log<WebSocketClient.Frame>()
    let server = try WebSocketServer { client in
      try client.send(.close, Data([0x0F, 0xA1]) + Data("no".utf8))
      answer.append(try client.readFrame())
    }
    let socket = try await open(server)
    await #expect(throws: WebSocketError.self) { try await next(socket) }
    await until { !answer.elements.isEmpty }
    #expect(answer.elements.first?.opcode == .close)
    #expect(answer.elements.first?.payload == Data([0x0F, 0xA1]))
  }

  @Test func `an end without a close frame is an error`() async throws {
    let server = try WebSocketServer { client in try client.send("x") }
    let socket = try await open(server)
    #expect(try await next(socket) == .text("x"))
    let error = await #expect(throws: WebSocketError.self) { try await next(socket) }
    #expect(error?.reason == .interrupted)
    #expect(error?.isTransient == true)
  }

  @Test func `an end without any frame is an error`() async throws {
    let server = try WebSocketServer { _ in }
    let socket = try await open(server)
    let error = await #expect(throws: WebSocketError.self) { try await next(socket) }
    #expect(error?.reason == .interrupted)
  }

  @Test func `a server that does not answer a close frame is left after a while`() async throws {
    let clock = ManualClock()
    let hasEnded = Gate()
    let server = try WebSocketServer { client in
      client.connection.waitForClose()
      hasEnded.open()
    }
    let socket = try await open(server) {
      $0.clock = clock
      $0.pingInterval = nil
    }
    async let closing: Void = socket.close()
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await closing
    #expect(socket.closure == nil)
    #expect(await hasEnded.opened())
    #expect(try await next(socket) == nil)
  }

  @Test func `releasing the socket closes its connection`() async throws {
    let hasEnded = Gate()
    let server = try WebSocketServer { client in
      client.connection.waitForClose()
      hasEnded.open()
    }
    var socket: WebSocket? = try await open(server)
    #expect(socket?.closure == nil)
    socket = nil
    #expect(await hasEnded.opened())
  }

  @Test func `a cancelled reader does not end the socket`() async throws {
    let server = try WebSocketServer.echo()
    let socket = try await open(server)
    let reader = Task { try await socket.next() }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    try await socket.send("x")
    #expect(try await next(socket) == .text("x"))
  }

  // MARK: pings

  @Test func `a pong answers all earlier pings, whose frames are in the order of their numbers`() async throws {
    let count = 2000
    let payloads = Log<[UInt8]>()
    let server = try WebSocketServer { client in
      for _ in 0..<count { payloads.append(Array(try client.readFrame().payload)) }
      try client.send(.pong, Data(payloads.elements[count - 1]))
      client.connection.waitForClose()
    }
    let socket = try await open(server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { try await socket.ping() } }
      try await group.waitForAll()
    }
    let numbers = payloads.elements
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `intervals beyond any clock mean never`() async throws {
    let server = try WebSocketServer.echo()
    let socket = try await open(server) {
      $0.pingInterval = .seconds(Int64.max)
      $0.pingTimeout = .seconds(Int64.max)
      $0.closeTimeout = .seconds(Int64.max)
    }
    try await socket.send("x")
    #expect(try await next(socket) == .text("x"))
    await socket.close()
  }

  @Test func `pings of the server are answered, the latest at least`() async throws {
    let pongs = Log<Data>()
    let server = try WebSocketServer { client in
      for number in 0..<20 { try client.send(.ping, Data([UInt8(number)])) }
      while pongs.elements.last != Data([19]) {
        let frame = try client.readFrame()
        if frame.opcode == .pong { pongs.append(frame.payload) }
      }
      try client.send("done")
      try client.close(code: 1000)
    }
    let socket = try await open(server)
    #expect(try await next(socket) == .text("done"))
    #expect(pongs.elements.last == Data([19]))
  }

  @Test func `a server that is silent after a ping ends the socket`() async throws {
    let clock = ManualClock()
    let server = try WebSocketServer { client in client.connection.waitForClose() }
    let socket = try await open(server) { $0.clock = clock }
    let received = Task { try await socket.next() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(30))
    await clock.sleepers(1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: WebSocketError.self) { try await received.value }
    #expect(error?.reason == .pingTimeout)
    #expect(error?.isTimeout == true)
  }

  // MARK: hostile servers

  @Test(
    arguments: [
      ([0x83, 0x00], 1002), ([0x81, 0x80, 0, 0, 0, 0], 1002), ([0xC1, 0x00], 1002), ([0x89, 126, 0, 126], 1002),
      ([0x09, 0x00], 1002), ([0x88, 0x01, 0x03], 1002), ([0x88, 0x02, 0x03, 0xED], 1002), ([0x80, 0x00], 1002),
      ([0x01, 0x01, 0xC3, 0x80, 0x01, 0x28], 1007), ([0x82, 127, 0, 0, 0, 0, 0x40, 0, 0, 0], 1009),
    ] as [([UInt8], UInt16)])
  func `a violation closes the connection with its code, after what was received before`(bytes: [UInt8], code: UInt16)
    async throws
  {
    let answer = Log<WebSocketClient.Frame>()
    let server = try WebSocketServer { client in
      try client.send("before")
      try client.connection.send(bytes)
      answer.append(try client.readMessage())
      client.connection.waitForClose()
    }
    let socket = try await open(server)
    #expect(try await next(socket) == .text("before"))
    let error = await #expect(throws: WebSocketError.self) { try await next(socket) }
    guard case .violation(let stated, _) = error?.reason else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect(stated.rawValue == code)
    await until { !answer.elements.isEmpty }
    #expect(answer.elements.first?.opcode == .close)
    #expect(answer.elements.first?.payload.prefix(2) == Data([UInt8(code >> 8), UInt8(code & 0xFF)]))
  }

  @Test func `a slow reader gets all messages of a fast server`() async throws {
    let server = try WebSocketServer { client in
      for _ in 0..<1000 { try client.send(.binary, Data(count: 100_000)) }
      try client.close(code: 1000)
    }
    let socket = try await open(server) { $0.maximumWaitingMessages = 2 }
    var count = 0
    for try await message in socket { count += message.data.count }
    #expect(count == 100_000_000)
  }

  @Test func `a server that reads late gets all messages`() async throws {
    let mayRead = Gate()
    let server = try WebSocketServer { client in
      mayRead.wait()
      for _ in 0..<100 { _ = try client.readFrame() }
      try client.send("all")
    }
    let socket = try await open(server)
    let sender = Task { for _ in 0..<100 { try await socket.send(Data(count: 1_000_000)) } }
    mayRead.open()
    try await sender.value
    #expect(try await next(socket) == .text("all"))
  }
}

extension WebSocket {
  /// The next message; nil at the end.
  func next() async throws -> Message? {
    var iterator = makeAsyncIterator()
    return try await iterator.next()
  }
}
