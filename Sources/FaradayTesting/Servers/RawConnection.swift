private import Synchronization

/// A connection of a ``RawServer``, with blocking calls. Thread-safe, but only one thread may read at a time. Calls throw
/// ``SocketError`` when the client has closed the connection, or it was closed here.
public final class RawConnection: Sendable {
  /// The index of the connection, from 0.
  public let index: Int
  private let socket: SocketConnection
  private let wire: any Wire
  private let input: Mutex<InputBuffer>

  init(_ socket: SocketConnection, over wire: any Wire, index: Int) {
    self.index = index
    self.socket = socket
    self.wire = wire
    input = Mutex(InputBuffer(wire))
  }

  /// Reads a request head, including its blank line. Bytes of the body that arrived with it are kept for later reads. Throws also
  /// at the end of the input, and if there is no blank line in 256 KiB.
  public func readHead() throws -> String {
    try input.withLock { input in
      guard let head = try input.readHead({ String(decoding: $0, as: UTF8.self) }) else { throw SocketError.endOfInput }
      return head
    }
  }

  /// Reads this number of bytes. Throws if the input ends before.
  public func read(exactly count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let piece = try readSome(upTo: count - bytes.count)
      if piece.isEmpty { throw SocketError.endOfInput }
      bytes += piece
    }
    return bytes
  }

  /// Reads available bytes, at most `limit`, blocking for the first; empty at the end of the input.
  public func readSome(upTo limit: Int) throws -> [UInt8] {
    try input.withLock { input in
      if input.isEmpty, try !input.fill(atMost: limit) { return [] }
      let bytes = Array(input.unread.prefix(limit))
      input.consume(bytes.count)
      return bytes
    }
  }

  /// Reads and discards everything until the client closes its side. Returns the number of bytes.
  public func readToEnd() throws -> Int {
    try input.withLock { input in
      var count = 0
      repeat {
        count += input.unread.count
        input.consume(input.unread.count)
      } while try input.fill()
      return count
    }
  }

  /// The client's address and port, as `127.0.0.1:1234`; nil if the connection is closed, or not a TCP connection.
  package var client: (address: String, port: Int)? { socket.peer }

  /// Sends the text's UTF-8.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends bytes; returns when the kernel has taken all of them. Over TLS they are one record, unless they are more than 16 KiB.
  public func send(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes(wire.send) }

  /// Sleeps, or throws when the connection is closed here.
  package func pause(milliseconds: Int) throws { try socket.pause(nanoseconds: milliseconds * 1_000_000) }

  /// Sets the size of the kernel's receive buffer, approximately: a small one makes the client's writes block early (backpressure).
  public func setReceiveBuffer(_ size: Int) { socket.setReceiveBuffer(size) }

  /// Closes the connection with a RST.
  public func reset() { socket.reset() }

  /// Closes the sending side; input can still be read. Over TLS no close_notify is sent.
  public func halfClose() { socket.halfClose() }

  /// Sends a TLS close_notify; nothing in cleartext.
  package func sendCloseNotify() throws { try wire.sendCloseNotify() }

  /// Closes the connection. Threads that are blocked in a call are woken, and throw.
  public func close() { socket.close() }

  /// Blocks until the client has closed or reset the connection, or it is closed here. Discards received bytes.
  public func waitForClose() { _ = try? readToEnd() }

  /// Whether the client has closed or reset the connection and everything it sent has been read. Does not block.
  public var isClosedByPeer: Bool { socket.isAtEnd }
}
