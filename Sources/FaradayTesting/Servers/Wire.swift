/// The byte stream of a server's connection: a socket, or TLS over one, with blocking calls. Thread-safe.
package protocol Wire: Sendable {
  /// Reads available bytes, blocking for the first; 0 at the end of the input.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  /// Sends all bytes.
  func send(_ bytes: UnsafeRawBufferPointer) throws
  /// Sends a TLS close_notify; nothing in cleartext.
  func sendCloseNotify() throws
}

extension SocketConnection: Wire {
  package func sendCloseNotify() {}
}
