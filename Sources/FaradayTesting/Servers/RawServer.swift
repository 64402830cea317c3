/// A TCP test server on the loopback interface that sends exactly the bytes that a test chooses, with a closure per connection.
///
///     let server = try RawServer { connection in
///       _ = try connection.readHead()
///       try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal")
///       connection.reset()
///     }
///
/// Thread-safe. It stops when its last reference is released.
public final class RawServer: Sendable {
  private let acceptor: Acceptor
  private let address: Loopback
  private let scheme: String

  /// Starts listening on a free port, and runs `onConnection` on a thread per connection. The connection is closed when it returns
  /// or throws; its error is dropped, since usually the client has closed the connection. Throws ``SocketError`` if it cannot
  /// listen.
  public convenience init(
    on address: Loopback = .ipv4, onConnection: @escaping @Sendable (RawConnection) throws -> Void
  ) throws {
    try self.init(on: address, scheme: "http", wire: { $0 }, onConnection: onConnection)
  }

  /// Creates a server over another layer.
  ///
  /// - Parameter wire: creates the layer of a connection, and does its handshake.
  package init(
    on address: Loopback = .ipv4, scheme: String, wire: @escaping @Sendable (SocketConnection) throws -> any Wire,
    onConnection: @escaping @Sendable (RawConnection) throws -> Void
  ) throws {
    self.address = address
    self.scheme = scheme
    acceptor = try Acceptor(on: address) { socket, index in
      try? onConnection(RawConnection(socket, over: wire(socket), index: index))
    }
  }

  /// Creates a server on one of the two addresses of `localhost`. The other address refuses connections to its port as long as
  /// the second object exists. Otherwise another test's server could use it.
  package static func alone(
    on address: Loopback, onConnection: @escaping @Sendable (RawConnection) throws -> Void
  ) throws -> (server: RawServer, refused: RefusedPort) {
    let pair = try paired(on: address, onConnection: onConnection) {
      try RefusedPort(on: address == .ipv4 ? .ipv6 : .ipv4, port: $0)
    }
    return (pair.server, pair.other)
  }

  /// Creates a server, and an object that uses the same port on the other address. Both are created again if that port is in
  /// use.
  static func paired<Other>(
    on address: Loopback, onConnection: @escaping @Sendable (RawConnection) throws -> Void, with other: (Int) throws -> Other
  ) throws -> (server: RawServer, other: Other) {
    var attempts = 0
    while true {
      let server = try RawServer(on: address, onConnection: onConnection)
      do {
        return (server, try other(server.port))
      } catch is SocketError where attempts < 20 {
        attempts += 1
      }
    }
  }

  /// Listens on a Unix domain socket instead of a port.
  package init(unixSocket path: String, onConnection: @escaping @Sendable (RawConnection) throws -> Void) throws {
    address = .ipv4
    scheme = "http"
    acceptor = try Acceptor(ListeningSocket(unixSocket: path)) { socket, index in
      try? onConnection(RawConnection(socket, over: socket, index: index))
    }
  }

  deinit { stop() }

  /// The port it listens on.
  public var port: Int { acceptor.port }

  /// `http://127.0.0.1:PORT`, or `https:` with TLS, without a slash at the end.
  public var url: String { "\(scheme)://\(address.urlHost):\(port)" }

  /// The number of connections accepted so far.
  public var connectionCount: Int { acceptor.acceptedCount }

  /// Stops listening and closes all connections, so that threads blocked in one of them end. Can be called again.
  public func stop() { acceptor.stop() }
}
