internal import FaradayCore

extension AdapterConformance {
  /// What a rule works with: the adapter under test and a server of its own.
  struct Subject: Sendable {
    let adapter: any Adapter
    let server: LocalServer

    /// To the local server.
    var connection: Connection {
      get throws { try Connection(server.url + "/", adapter: adapter) }
    }

    /// To a server that says exactly what the rule tells it to.
    func connection(to server: RawServer) throws -> Connection {
      try Connection(server.url + "/", adapter: adapter)
    }

    /// To a server that answers the first request of every connection with these bytes, and ends its output. It lives as long
    /// as the closure runs.
    @discardableResult
    func withServer<Result>(
      answering bytes: [UInt8], _ body: (Connection) async throws -> Result
    ) async throws -> Result {
      let server = try RawServer { connection in
        _ = try connection.readHead()
        try connection.send(bytes)
        connection.halfClose()
        connection.waitForClose()
      }
      defer { server.stop() }
      return try await body(try connection(to: server))
    }

    @discardableResult
    func withServer<Result>(answering text: String, _ body: (Connection) async throws -> Result) async throws -> Result {
      try await withServer(answering: Array(text.utf8), body)
    }
  }
}
