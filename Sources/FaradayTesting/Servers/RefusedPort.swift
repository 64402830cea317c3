/// A port on 127.0.0.1 that refuses connections for as long as this object exists: it is bound, but not listening.
public final class RefusedPort: Sendable {
  private let socket: ListeningSocket

  /// The port's number.
  public var port: Int { socket.port }

  /// Binds a free port. Throws ``SocketError`` if no port is free.
  public init() throws { socket = try ListeningSocket(backlog: nil) }

  /// Binds the port with this number, on 127.0.0.1 or ::1. Throws ``SocketError`` if it is in use.
  init(on address: Loopback, port: Int) throws { socket = try ListeningSocket(on: address, port: port, backlog: nil) }

  deinit { socket.close() }
}
