package import FaradayCore

extension AdapterConformance {
  /// The context of a rule: the adapter under test, and a server.
  package struct Subject: Sendable {
    package let adapter: any Adapter
    package let server: LocalServer

    /// A connection to the local server.
    package var connection: Connection {
      get throws { try connection(to: server.url) }
    }

    /// A connection to a server that sends exactly the bytes that the rule chooses.
    package func connection(to server: RawServer) throws -> Connection {
      try connection(to: server.url)
    }

    /// A connection that adds no field of its own.
    private func connection(to url: String) throws -> Connection {
      var connection = try Connection(url + "/", adapter: adapter)
      connection.userAgent = nil
      return connection
    }

    /// A connection to a server that responds to the first request of every connection with these bytes, and closes its sending
    /// side. It runs as long as the closure.
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
