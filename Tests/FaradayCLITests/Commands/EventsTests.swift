import Faraday
import FaradayTesting
import Foundation
import TestSupport
import Testing

@testable import FaradayCLI
import TestServers

/// `faraday events URL`, run as anybody runs it.
@Suite struct EventsTests {
  private static let transports = ["curl", "urlsession"]

  /// A server whose stream ends after two events, and goes on behind them.
  private func server() throws -> MockServer {
    try MockServer { request in
      let id = request.headers[.lastEventID].flatMap { Int($0) } ?? 0
      let events = "retry: 0\nid: \(id + 1)\nevent: tick\ndata: \(id + 1)\ndata: grüß\n\nid: \(id + 2)\ndata: {}\n\n"
      return .text(events, type: MediaType("text", "event-stream"))
    }
  }

  @Test(arguments: [
    ["events"], ["events", "--max-events", "0", "http://h/"], ["events", "--retry", "-1", "http://h/"],
    ["events", "--bogus", "http://h/"],
    ["events", "--transport", "pigeon", "http://h/"], ["events", "-H", "no colon", "http://h/"],
  ])
  func `an invalid command line exits with 2`(_ arguments: [String]) async throws {
    let outcome = try await Program.run(arguments)
    #expect(outcome.status == 2 && outcome.error.hasPrefix("faraday: (2) ") && outcome.output.isEmpty)
  }

  @Test(arguments: transports) func `a response that is not an event stream fails with the usual exit status`(transport: String)
    async throws
  {
    let server = try MockServer { $0.line == "GET /404" ? .status(.notFound) : .text("<html>", type: .html) }
    let refused = try RefusedPort()
    for (url, status) in [
      ("\(server.url)/404", 22), ("\(server.url)/html", 8), ("http://127.0.0.1:\(refused.port)/", 7), ("http://a b/", 3),
    ] as [(String, Int32)] {
      let outcome = try await Program.run("events", "--transport", transport, "--no-reconnect", url)
      #expect(
        outcome.status == status && outcome.error.hasPrefix("faraday: (\(status)) ") && outcome.output.isEmpty, "\(outcome.error)"
      )
    }
  }

  @Test func `repeated failures end the command with a message`() async throws {
    let server = try MockServer { _ in .status(.serviceUnavailable, headers: [.retryAfter: "0"]) }
    var outcome = try await Program.run("events", "--retry", "1", server.url)
    #expect(outcome.status == 22 && server.recorded.count == 2)
    // A random delay of at most a second.
    #expect(outcome.error.contains(#/error: 503; reconnecting in [01]\.\d s/#) && outcome.error.contains("faraday: (22) "))
    outcome = try await Program.run("events", "--retry", "0", "-s", server.url)
    #expect(outcome.status == 22 && server.recorded.count == 3 && !outcome.error.contains("reconnecting"))
  }

  @Test(arguments: transports) func `events are shown with their fields, across reconnections`(transport: String) async throws {
    let server = try server()
    let outcome = try await Program.run(
      "events", "--transport", transport, "--max-events", "3", "-H", "X-Mine: 7", "-H", "Accept: a/b", "-H", "Cache-Control:",
      server.url)
    #expect(outcome.status == 0)
    #expect(
      outcome.text
        == "event: tick\nid: 1\ndata: 1\ndata: grüß\n\nevent: message\nid: 2\ndata: {}\n\nevent: tick\nid: 3\ndata: 3\ndata: grüß\n\n"
    )
    #expect(outcome.error == "faraday: the server has ended the stream; reconnecting in 0.1 s\n")
    let headers = server.recorded.map(\.headers)
    #expect(headers.count == 2 && headers.allSatisfy { $0["X-Mine"] == "7" && $0[.accept] == "a/b" })
    #expect(headers.allSatisfy { $0[.userAgent]?.hasPrefix("faraday/") == true && !$0.contains(.cacheControl) })
  }

  @Test func `events can be written as lines of JSON`() async throws {
    let server = try server()
    let outcome = try await Program.run("events", "--json", "--no-reconnect", server.url)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    #expect(
      outcome.text == #"{"type":"tick","id":"1","data":"1\ngrüß"}"# + "\n" + #"{"type":"message","id":"2","data":"{}"}"# + "\n")
  }

  @Test func `user and password of the URL are sent to its origin and not shown`() async throws {
    let server = try MockServer(.status(.noContent))
    let url = server.url.replacingOccurrences(of: "http://", with: "http://ada:hidden@")
    #expect(try await Program.run("events", url).status == 0)
    #expect(server.recorded.first?.headers[.authorization] == "Basic \(Data("ada:hidden".utf8).base64EncodedString())")
    #expect(try await Program.run("events", "--bogus", url).error.contains("hidden") == false)
  }

  @Test(arguments: transports) func `an event is shown when it arrives, and ^C ends the command`(transport: String) async throws {
    let isLeft = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
      connection.waitForClose()
      isLeft.open()
    }
    let program = try Program.start("events", "--transport", transport, server.url)
    var lines = Lines(of: program)
    #expect(await lines.next() == "event: message")
    #expect(await lines.next() == "data: 1")
    program.signal(SIGINT)
    _ = await program.ended()
    #expect(await isLeft.opened())
  }

  @Test func `terminal control characters are escaped`() {
    let event = ServerSentEvent(type: "a\u{1B}[31m", data: "x\u{7}\n\u{9B}2J", id: "\u{202E}1")
    #expect(Events.text(event) == "event: a\\u{1B}[31m\nid: \\u{202E}1\ndata: x\\u{7}\ndata: \\u{9B}2J\n\n")
    #expect(Events.json(event).utf8.allSatisfy { $0 != 0x1B && $0 != 0x07 })
  }

  @Test func `a closed output is a write error`() async throws {
    let server = try server()
    let words = [
      "-c", "exec \"$1\" events \"$2\" 2>/dev/null >/dev/full", "sh", try BuiltProduct.named("faraday").path, server.url,
    ]
    #expect(await (try ChildProcess("/bin/sh", words)).ended() == 23)
  }
}
