/// The byte stream of a server's connection: a socket, or TLS over one, with blocking calls. Thread-safe.
protocol Wire: Sendable {
  /// Reads what there is, blocking for the first byte; 0 at the end of the input.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  /// Sends everything.
  func send(_ bytes: UnsafeRawBufferPointer) throws
}

extension SocketConnection: Wire {}
