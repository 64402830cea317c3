package import FaradayCore

/// The security layer below a ``RawServer``: clear text here, and TLS in the package's own tests. A rule can hold with both.
package struct Security: Sendable {
  /// The end of a rule's name: "in clear text".
  package let name: String
  /// The capabilities that a connection needs.
  package let needs: Capabilities
  /// The authority of its servers; nil without TLS.
  package let caFile: (@Sendable () throws -> String)?
  private let start: @Sendable (@escaping @Sendable (RawConnection) throws -> Void) throws -> RawServer

  package init(
    name: String, needs: Capabilities, caFile: (@Sendable () throws -> String)? = nil,
    start: @escaping @Sendable (@escaping @Sendable (RawConnection) throws -> Void) throws -> RawServer
  ) {
    (self.name, self.needs, self.caFile, self.start) = (name, needs, caFile, start)
  }

  package static let plain = Security(name: "in clear text", needs: [], start: { try RawServer(onConnection: $0) })

  package var usesTLS: Bool { caFile != nil }

  /// Starts a server that sends exactly the bytes that the rule chooses.
  package func server(onConnection: @escaping @Sendable (RawConnection) throws -> Void) throws -> RawServer {
    try start(onConnection)
  }
}

extension AdapterConformance.Subject {
  /// A connection to a server, with its authority if it uses TLS.
  package func connection(to server: RawServer, over security: Security) throws -> Connection {
    guard let caFile = try security.caFile?() else { return try connection(to: server) }
    var defaults = Options()
    defaults.tls.caFile = caFile
    return try Connection(server.url + "/", defaults: defaults, adapter: adapter)
  }
}
