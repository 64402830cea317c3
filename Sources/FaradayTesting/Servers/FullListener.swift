/// A port with a full accept queue, so that connecting to it never completes (for connect timeouts).
package final class FullListener: Sendable {
  private let listener: ListeningSocket
  private let clients: [Int32]

  /// The port's number.
  package var port: Int { listener.port }

  /// Binds a port and fills its queue. Throws ``SocketError`` if it cannot be bound.
  ///
  /// - Parameter port: the port to bind; 0 takes a free one.
  package init(on address: Loopback = .ipv4, port: Int = 0) throws {
    let listener = try ListeningSocket(on: address, port: port, backlog: 0)
    self.listener = listener
    // The kernel queues one connection more than the backlog. Further ones stay in SYN_SENT.
    clients = try (0..<4).map { _ in try listener.beginConnecting() }
  }

  deinit { clients.forEach(closeDescriptor) }

  /// A server whose responses are empty, and the same port on the other address, where connecting never completes.
  package static func beside(serverOn address: Loopback) throws -> (server: RawServer, silent: FullListener) {
    let pair = try RawServer.paired(on: address) { connection in
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    } with: {
      try FullListener(on: address == .ipv4 ? .ipv6 : .ipv4, port: $0)
    }
    return (pair.server, pair.other)
  }
}
