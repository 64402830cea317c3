@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct UploadTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  private func bodies(_ data: Data) throws -> [(name: String, body: Body, file: TemporaryFile?)] {
    let file = try TemporaryFile(data)
    let cut = data.count / 3
    let pieces = Pieces([data.prefix(cut), data.dropFirst(cut).prefix(cut), data.dropFirst(2 * cut)])
    return [
      ("bytes", .data(data), nil), ("file", try .file(file.path), file),
      ("stream", .stream(pieces, length: Int64(data.count)), nil), ("chunked", .stream(pieces), nil),
    ]
  }

  @Test func `a small body is sent in one write with its head`() async throws {
    let first = Log<[UInt8]>()
    let server = try RawServer { connection in
      first.append(try connection.readSome(upTo: 200_000))
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    _ = try await server.connection().put("x", body: "the body")
    let text = String(decoding: first.elements[0], as: UTF8.self)
    #expect(text.hasPrefix("PUT /x HTTP/1.1\r\n"))
    #expect(text.hasSuffix("\r\n\r\nthe body"))
    #expect(!text.lowercased().contains("expect:"))
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `a request is sent again without Expect to a server that does not support it`(delivery: Delivery) async throws {
    let expectations = Log<Bool>()
    let server = try RawServer { connection in
      func readHead() throws {
        expectations.append(try connection.readHead().lowercased().contains("\r\nexpect:"))
      }
      try readHead()
      guard connection.index > 0 else {
        try connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
        return connection.waitForClose()
      }
      let body = try connection.read(exactly: 5)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
      try connection.send(body)
      connection.waitForClose()
    }
    let response = try await server.connection().put(body: .stream(Pieces("hello"), length: 5, isReplayable: true)) {
      $0.headers[.expect] = "100-continue"
      $0.options.delivery = delivery
    }
    #expect(response.status == .ok)
    #expect(try await response.body.utf8Text() == "hello")
    #expect(expectations.elements == [true, false])
  }

  @Test func `a 417 to a request without Expect is an ordinary response`() async throws {
    let server = try RawServer { connection in
      while true {
        if try !connection.readHead().lowercased().contains("expect:") { _ = try connection.read(exactly: 5) }
        try connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let response = try await server.connection().put(body: "hello") { $0.headers[.expect] = "100-continue" }
    #expect(response.status == .expectationFailed)
    #expect(server.connectionCount == 2)
  }

  @Test(arguments: [Body.empty, "small", .data(pattern(150_000)), .stream(Pieces("a", "b"), isReplayable: true)])
  func `a POST that may have arrived on a reused connection is not sent again`(body: Body) async throws {
    let heads = Log<String>()
    let server = try RawServer { connection in
      while true {
        heads.append(String(try connection.readHead().prefix { $0 != " " }))
        if connection.index == 0 && heads.elements.count > 1 { return connection.reset() }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let connection = try server.connection()
    _ = try await connection.get()
    let error = try await transportError { try await connection.post(body: body) }
    #expect([.connectionClosed, .sendFailed, .receiveFailed].contains(error.code) && error.phase != .connecting, "\(error)")
    #expect(heads.elements == ["GET", "POST"])
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: ["bytes", "replayable stream", "file"])
  func `a reused connection that dies before a response is replaced, and the body is sent again`(kind: String) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      if connection.index == 0 {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        // The second request on this connection gets no answer.
        _ = try connection.readHead()
        _ = try connection.read(exactly: 1000)
        return connection.reset()
      }
      let body = try connection.read(exactly: 150_000)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 150000\r\n\r\n")
      try connection.send(body)
      connection.waitForClose()
    }
    let connection = try server.connection()
    let file = try TemporaryFile(pattern(150_000))
    let body: Body =
      switch kind {
      case "bytes": .data(pattern(150_000))
      case "file": try .file(file.path)
      default: .stream(Pieces([pattern(150_000)]), length: 150_000, isReplayable: true)
      }
    _ = try await connection.get()
    let response = try await connection.put(body: body)
    #expect(response.body.data == pattern(150_000))
    #expect(server.connectionCount == 2)
  }

  @Test func `a body that is not replayable is not sent again`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      _ = try connection.readHead()
      _ = try connection.read(exactly: 1000)
      connection.reset()
    }
    let connection = try server.connection()
    _ = try await connection.get()
    let error = try await transportError {
      try await connection.put(body: .stream(Pieces([pattern(150_000)]), length: 150_000))
    }
    #expect([.bodyNotReplayable, .sendFailed, .connectionClosed, .receiveFailed].contains(error.code), "\(error)")
  }

  @Test(arguments: ["413 Too Large", "200 OK\r\nConnection: close", "413 Too Large\r\nConnection: close"], 0..<5)
  func `an early response with a late body ends the upload, with any framing and delivery`(
    answer: String, kind: Int
  ) async throws {
    let (head, pieces): (String, [String]) =
      switch kind {
      case 0: ("Transfer-Encoding: chunked", ["2\r\nno\r\n", "0\r\n\r\n"])
      case 1: ("Connection: close", ["n", "o"])
      default: ("Content-Length: 2", ["n", "o"])
      }
    // Each piece waits until the one before has been seen: it comes to an engine that sleeps.
    let gates = [Gate(), Gate(), Gate()]
    let server = try RawServer { connection in
      _ = try connection.readHead()
      _ = try connection.readSome(upTo: 100)
      try connection.send("HTTP/1.1 \(answer)\r\n\(head)\r\n\r\n")
      for (gate, piece) in zip(gates, pieces) {
        gate.wait()
        try connection.send(piece)
      }
      gates[2].wait()
      if kind != 1 { connection.waitForClose() }
    }
    let seen = Log<UInt8>()
    let response = try await server.connection().post(body: .stream(StalledSource())) {
      $0.options.onHead = { _ in gates[0].open() }
      $0.options.onDownloadProgress = { _ in for gate in gates[1...] { gate.open() } }
      $0.options.timeouts.idle = .seconds(10)
      if kind == 3 { $0.options.delivery = .streamed }
      if kind == 4 {
        $0.options.onChunk = { bytes in
          bytes.withUnsafeBytes { for byte in $0 { seen.append(byte) } }
          return .continue
        }
      }
    }
    #expect(try await (kind == 4 ? String(decoding: seen.elements, as: UTF8.self) : response.body.utf8Text()) == "no")
  }

  @Test func `an early response is delivered even if the body source fails later`() async throws {
    let source = FailingSource()
    let mayEnd = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      _ = try connection.readSome(upTo: 100)
      try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n")
      mayEnd.wait()
      try connection.send("no")
      connection.waitForClose()
    }
    let refusing = try server.connection()
    async let response = refusing.post(body: .stream(source)) { $0.options.onHead = { _ in source.mayFail.open() } }
    #expect(await source.hasGone.opened())
    // By then whoever read the source has heard of it.
    for _ in 0..<5 { _ = try await connection.get("hello") }
    mayEnd.open()
    #expect(try await response.body.utf8Text() == "no")
  }

  /// The response before the server closes the connection, while the source of the body stalls.
  @Test(arguments: [
    ("", TransportError.Code.connectionClosed), ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200", .truncatedResponse),
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", .truncatedResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", .truncatedResponse),
    ("HTTP/1.1 200 OK\r\n\r\nok", nil),
  ])
  func `the end of the connection ends an upload whose source stalls`(answer: String, code: TransportError.Code?) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      // The whole piece: unread bytes would make it a reset.
      _ = try connection.read(exactly: "5\r\npiece\r\n".utf8.count)
      try connection.send(answer)
      connection.halfClose()
      connection.waitForClose()
    }
    defer { server.stop() }
    var connection = try server.connection()
    connection.defaults.timeouts = Timeouts(idle: nil, total: .seconds(60))
    let source = StalledSource()
    do {
      let response = try await connection.post(body: .stream(source))
      #expect(try await response.body.utf8Text() == "ok" && code == nil)
    } catch let error as TransportError {
      // libcurl 8.14 calls a head without a complete line an empty reply.
      let isEmpty = error.code == .connectionClosed && answer.hasSuffix("200")
      #expect(error.code == code || isEmpty, "\(error)")
    }
    #expect(await source.hasGone.opened())
  }

  @Test func `an upload whose source stalls is sent over another connection if the server closes a kept one`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      guard connection.index == 0 else { return connection.waitForClose() }
      // As if an idle timeout had ended the connection when the request was sent.
      _ = try connection.readHead()
      connection.halfClose()
      connection.waitForClose()
    }
    defer { server.stop() }
    let connection = try server.connection()
    #expect(try await connection.get("/").status == .ok)
    let (pieces, source) = AsyncStream.makeStream(of: Data.self)
    async let response = connection.put("/", body: .stream(pieces))
    await until { server.connectionCount == 2 }
    source.yield(Data("piece".utf8))
    source.finish()
    #expect(try await response.status == .ok)
  }

  @Test(arguments: ["", "refuse"], [AuthenticationSchemes.basic, [.basic, .digest]])
  func `a challenge that ends the connection is answered, or is the response, while the source of the body stalls`(
    text: String, schemes: AuthenticationSchemes
  ) async throws {
    let server = try RawServer { connection in
      let head = try connection.readHead().lowercased()
      _ = try connection.read(exactly: "5\r\npiece\r\n".utf8.count)
      let challenge = "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: \(text.utf8.count)"
      // Basic credentials are sent at once, and rejected.
      let isAccepted = schemes != .basic && head.contains("\r\nauthorization: basic")
      let (line, body) = isAccepted ? ("200 OK\r\nContent-Length: 2", "ok") : (challenge, text)
      try connection.send("HTTP/1.1 \(line)\r\nConnection: close\r\n\r\n\(body)")
      connection.halfClose()
      connection.waitForClose()
    }
    defer { server.stop() }
    var connection = try server.connection()
    connection.defaults.timeouts = Timeouts(idle: nil, total: .seconds(60))
    let response = try await connection.put("/") {
      $0.body = .stream(StalledSource(), isReplayable: true)
      $0.options.authentication = TransportAuthentication(user: "ada", password: "hunter2", schemes: schemes)
    }
    #expect(response.status == (schemes == .basic ? .unauthorized : .ok) && server.connectionCount == (schemes == .basic ? 1 : 2))
  }

  @Test func `a refused upload whose response never ends reaches the idle timeout`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      _ = try connection.readSome(upTo: 100)
      try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nn")
      connection.waitForClose()
    }
    let error = try await transportError {
      try await server.connection().post(body: .stream(StalledSource())) { $0.options.timeouts.idle = .milliseconds(100) }
    }
    #expect(error.code == .idleTimeout)
  }
}

/// Gives one piece, then fails when it may.
struct FailingSource: AsyncSequence, Sendable {
  struct Failed: Error {}
  let mayFail = Gate()
  let hasGone = Gate()

  final class AsyncIterator: AsyncIteratorProtocol {
    let source: FailingSource
    var isFirst = true

    init(_ source: FailingSource) { self.source = source }
    deinit { source.hasGone.open() }

    func next() async throws -> Data? {
      defer { isFirst = false }
      if isFirst { return Data("piece".utf8) }
      #expect(await source.mayFail.opened())
      throw Failed()
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
