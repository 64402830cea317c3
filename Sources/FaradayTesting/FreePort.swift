/// A port of 127.0.0.1 that nothing listens on at the moment: connecting to it is refused. Throws a `SocketError` if there
/// is none.
public func unusedPort() throws -> Int {
  let socket = try ListeningSocket()
  defer { socket.close() }
  return socket.port
}
