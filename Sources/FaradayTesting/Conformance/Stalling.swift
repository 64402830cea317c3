internal import FaradayCore

/// A server that reports when a request has arrived and when the client has closed its connection, and never completes a response,
/// except for `/next`.
package struct Stalling {
  package let hasRequest = Gate()
  package let hasClosed = Gate()
  package let server: RawServer

  package static let someOfABody = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"

  package init(answering text: String = "") throws {
    server = try RawServer { [hasRequest, hasClosed] connection in
      while try connection.readHead().hasPrefix("GET /next ") {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
      }
      try connection.send(text)
      hasRequest.open()
      connection.waitForClose()
      hasClosed.open()
    }
  }

  /// Runs `body` with a connection to it. Afterwards the client must close its connection, and the next request must work.
  static func run(
    _ subject: AdapterConformance.Subject, answering text: String = "", _ body: (Stalling, Connection) async throws -> Void
  ) async throws {
    let stalling = try Stalling(answering: text)
    defer { stalling.server.stop() }
    let connection = try subject.connection(to: stalling.server)
    try await body(stalling, connection)
    try expect(await stalling.hasClosed.opened(), "the connection is still open")
    try expectEqual(try await connection.get("next").body.utf8Text(), "next")
  }
}
