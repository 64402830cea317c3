import FaradayCore
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

  @Test func `a small body leaves in one piece with its head`() async throws {
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
  func `a server that does not know Expect is asked again without it`(delivery: Delivery) async throws {
    let server = try RawServer { connection in
      let head = try connection.readHead()
      if head.lowercased().contains("expect:") {
        try connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
        _ = try connection.readHead()
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
    #expect(try await response.body.text() == "hello")
  }

  @Test(arguments: ["bytes", "replayable stream", "file"])
  func `a reused connection that died before it answered is replaced and the body sent again`(kind: String) async throws {
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
    let response = try await connection.post(body: body)
    #expect(response.body.data == pattern(150_000))
    #expect(server.connectionCount == 2)
  }
}
