internal import FaradayCore

extension ConformanceGroup {
  /// Connections that the server resets before it responds.
  package static func resets(over security: Security) -> ConformanceGroup {
    .init(
      name: "connection ends", needs: .strictFraming,
      cases: [HTTPRequest.Method.get, .post].map { method in
        Case("a reset before any response to \(method) is a closed connection, \(security.name)", needs: security.needs) {
          subject in
          let server = try security.server { connection in
            _ = try connection.readHead()
            if method == .post { _ = try connection.read(exactly: 7) }
            connection.reset()
          }
          defer { server.stop() }
          let connection = try subject.connection(to: server, over: security)
          try await expectFailure(.connectionClosed) {
            try await connection.send(method, body: method == .post ? "content" : .empty)
          }
        }
      })
  }
}
