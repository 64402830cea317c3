package import FaradayTesting

/// Answers with the beginning of a body whose end does not come, and tells when its client has gone away.
package final class EndlessServer: Sendable {
  /// Open when a client has gone away.
  package let isLeft = Gate()
  private let server: RawServer

  package var url: String { server.url }

  package init() throws {
    let isLeft = isLeft
    server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbytes\r\n")
      // Nothing more is sent to it: this ends with the connection.
      _ = try? connection.readSome(upTo: 1)
      isLeft.open()
    }
  }
}
