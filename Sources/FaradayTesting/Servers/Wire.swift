/// What a server's bytes come from and go to: a socket, or TLS over one. For any thread; calls block.
protocol Wire: Sendable {
  /// Reads what there is, blocking for the first byte; 0 at the end of the input.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  /// Sends everything.
  func send(_ bytes: UnsafeRawBufferPointer) throws
}

extension SocketConnection: Wire {}
