import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// Servers that answer wrongly: one test each, on the exact bytes.
@Suite struct MalformedResponseTests {
  private func error(
    _ answer: String, edit: @Sendable (inout Request) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> TransportError {
    let connection = try RawServer.answering(answer).connection()
    return try await transportError(sourceLocation: sourceLocation) { try await connection.get(edit: edit) }
  }

  @Test func `nothing at all`() async throws {
    let error = try await error("")
    #expect(error.code == .connectionClosed && error.phase == .waiting)
    #expect(error.partialResponse == nil)
  }

  @Test(arguments: [
    "garbage\r\n\r\n", "<html>hello</html>", "\0\0\0\0\r\n", "HTTP/1.1\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
    "HTP/1.1 200 OK\r\n\r\n",
  ])
  func `something that is not HTTP`(answer: String) async throws {
    let error = try await error(answer)
    #expect(error.code == .malformedResponse, "\(error)")
    #expect(error.partialResponse == nil)
  }

  @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 200 OK\r\nContent-Le"])
  func `a head that ends too early`(answer: String) async throws {
    let error = try await error(answer)
    #expect(error.code == .truncatedResponse || error.code == .connectionClosed, "\(error)")
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `a body shorter than its length is never complete, and what arrived is kept`(delivery: Delivery) async throws {
    let connection = try RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nServer: y\r\n\r\nhello").connection()
    var seen = Data()
    do {
      let response = try await connection.get { $0.options.delivery = delivery }
      for try await piece in response.body { seen.append(piece) }
      Issue.record("the body was complete")
    } catch let error as TransportError {
      #expect(error.code == .truncatedResponse && error.phase == .receiving)
      let partial = try #require(error.partialResponse)
      #expect(partial.status == .ok)
      #expect(partial.headers[.server] == "y")
      #expect(delivery == .streamed ? seen == Data("hello".utf8) : partial.body.data == Data("hello".utf8))
    }
  }

  @Test func `a chunked body without its last chunk is never complete`() async throws {
    let error = try await error("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
    #expect(error.code == .truncatedResponse)
    #expect(error.partialResponse?.body.data == Data("hello".utf8))
  }

  @Test(arguments: ["zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloWORLD\r\n0\r\n\r\n", "-1\r\n\r\n", "fffffffffffffffff\r\nx"])
  func `chunk sizes that are wrong`(body: String) async throws {
    let error = try await error("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    #expect(error.code == .malformedResponse, "\(error)")
    #expect(error.partialResponse?.status == .ok)
  }

  @Test(arguments: [
    "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\ncontent-length: 0", "Content-Length: abc",
    "Content-Length: -5",
  ])
  func `two lengths that differ, or one that is none`(fields: String) async throws {
    let error = try await error("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello!")
    #expect(error.code == .malformedResponse)
  }

  @Test func `two lengths that agree are one`() async throws {
    let connection = try RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello")
      .connection()
    #expect(try await connection.get().body.text() == "hello")
  }

  @Test func `a head over a mebibyte`() async throws {
    let field = "X-Filler: " + String(repeating: "a", count: 1000) + "\r\n"
    let error = try await error("HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 1100) + "\r\n")
    #expect(error.code == .headTooLarge, "\(error)")
  }

  @Test func `one header line over a mebibyte`() async throws {
    let error = try await error("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 1 << 20) + "\r\n\r\n")
    #expect(error.code == .headTooLarge, "\(error)")
  }

  @Test func `a head without end`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n")
      let fields = [UInt8](String(repeating: "X: y\r\n", count: 10_000).utf8)
      for _ in 0..<1000 { try connection.send(fields) }
    }
    let error = try await transportError { try await server.connection().get() }
    #expect(error.code == .headTooLarge, "\(error)")
  }

  @Test func `a status line and then silence is an idle timeout`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n")
      connection.waitForClose()
    }
    let error = try await transportError {
      try await server.connection().get { $0.options.timeouts.idle = .milliseconds(50) }
    }
    #expect(error.code == .idleTimeout)
  }

  @Test func `a reset in the middle of the body`() async throws {
    let gate = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
      _ = gate.wait()
      connection.reset()
    }
    let response = try await server.connection().get { $0.options.delivery = .streamed }
    var iterator = response.body.makeAsyncIterator()
    #expect(try await iterator.next() == Data("hello".utf8))
    gate.open()
    let error = await #expect(throws: TransportError.self) { try await iterator.next() }
    #expect(error?.code == .receiveFailed || error?.code == .truncatedResponse)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a reset instead of an answer`() async throws {
    let server = try LocalServer()
    let error = try await transportError { try await server.connection().get("reset") }
    #expect([.connectionClosed, .receiveFailed, .sendFailed].contains(error.code), "\(error)")
    server.stop()
  }

  @Test func `encoded bytes that do not decode`() async throws {
    let error = try await error("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nnotgzip") {
      $0.options.decompression = .standard
    }
    #expect(error.code == .decompressionFailed)
  }

  @Test func `bytes after the body do not become part of the next response`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Smuggled\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let connection = try server.connection()
    for _ in 0..<3 {
      let response = try await connection.get()
      #expect(response.status == .ok)
      #expect(try await response.body.text() == "ok")
    }
  }
}
