import Faraday
import FaradayTesting
import Foundation
import Testing

@testable import FaradayCLI

/// `faraday ws URL`, run as anybody runs it.
@Suite struct WSTests {
  @Test(arguments: [
    ["ws"], ["ws", "--max-messages", "0", "ws://h/"], ["ws", "--bogus", "ws://h/"], ["ws", "-H", "no colon", "ws://h/"],
  ])
  func `an invalid command line exits with 2`(_ arguments: [String]) async throws {
    let outcome = try await Program.run(arguments)
    #expect(outcome.status == 2 && outcome.error.hasPrefix("faraday: (2) ") && outcome.output.isEmpty, "\(outcome.error)")
  }

  @Test func `lines of the input are messages, and messages are lines of the output`() async throws {
    let server = try WebSocketServer.echo()
    let url = "ws" + server.url.dropFirst(4)
    let outcome = try await Program.run("ws", url, input: Data("one\ngrüß\n\nlast".utf8))
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output == Data("one\ngrüß\n\nlast\n".utf8))
    #expect(outcome.error.isEmpty)
  }

  @Test func `input that cannot be sent ends the command`() async throws {
    let server = try WebSocketServer.echo()
    let large = Data(repeating: 0x61, count: (16 << 20) + 1)
    let outcome = try await Program.run("ws", server.url, input: large)
    #expect(outcome.status == 26 && outcome.error.contains("input"), "\(outcome.error)")
    let latin1 = try await Program.run("ws", server.url, input: Data([0x61, 0xE9, 0x0A]))
    #expect(latin1.status == 26 && latin1.error.contains("not UTF-8"), "\(latin1.error)")
    let local = try LocalServer()
    let plain = try await Program.run("ws", local.url + "/hello")
    #expect(plain.status == 8 && plain.error.contains("Not a WebSocket"), "\(plain.error)")
  }

  @Test func `bytes are written as they are`() async throws {
    let server = try WebSocketServer { client in
      let first = try client.readMessage()
      guard first.opcode == .binary else { return }
      try client.send(.binary, first.payload + Data([0, 0xFF]))
      try client.close(code: 1000, reason: "enough")
    }
    let outcome = try await Program.run("ws", "--binary", "-v", server.url, input: Data("a\n".utf8))
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output == Data([0x61, 0, 0xFF]))
    #expect(outcome.error.contains("* connected"))
    #expect(outcome.error.contains("* closed by the server with the code 1000: enough"))
  }

  @Test func `the subprotocol, the fields and the number of messages are options`() async throws {
    let server = try WebSocketServer(fields: "Sec-WebSocket-Protocol: v2\r\n") { client in
      for line in client.head.split(separator: "\r\n") { try client.send(String(line)) }
      client.connection.waitForClose()
    }
    let outcome = try await Program.run(
      "ws", "-v", "--protocol", "v1", "--protocol", "v2", "-H", "X-A: b", "--max-messages", "1", server.url + "/chat?x=1")
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output == Data("GET /chat?x=1 HTTP/1.1\n".utf8))
    #expect(outcome.error.contains("subprotocol v2"))
  }

  @Test func `failures have exit statuses and messages`() async throws {
    let closing = try WebSocketServer { client in try client.close(code: 1011, reason: "broken") }
    let closed = try await Program.run("ws", closing.url)
    #expect(closed.status == 56)
    #expect(closed.error.contains("code 1011: broken"))
    // The command waits for a message. At the end of its empty input it would close the connection itself, maybe earlier.
    let cut = try WebSocketServer { _ in }
    #expect(try await Program.run("ws", "--max-messages", "1", cut.url).status == 56)
    let wrong = try WebSocketServer { client in try client.connection.send([0x83, 0]) }
    #expect(try await Program.run("ws", wrong.url).status == 8)
    let ordinary = try LocalServer()
    #expect(try await Program.run("ws", ordinary.url + "/status/404").status == 22)
    let refused = try RefusedPort()
    #expect(try await Program.run("ws", "ws://127.0.0.1:\(refused.port)/").status == 7)
  }
}
