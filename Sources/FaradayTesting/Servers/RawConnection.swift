private import Synchronization

/// A connection that a `RawServer` accepted. Blocking calls, for any thread; one reads at a time. Calls that throw throw a
/// `SocketError`: when the client has gone away, or the connection was closed here.
public final class RawConnection: Sendable {
  /// 0 for the server's first connection.
  public let index: Int
  private let socket: SocketConnection
  private let wire: any Wire
  private let input: Mutex<InputBuffer>

  init(_ socket: SocketConnection, tls: ServerTLS? = nil, index: Int) throws {
    self.index = index
    self.socket = socket
    let wire: any Wire = try tls.map { try TLSWire(socket, $0) } ?? socket
    self.wire = wire
    input = Mutex(InputBuffer(wire))
  }

  /// Reads a request head, up to and including its blank line. What of the body came with it is kept for later reads.
  /// Throws also at the end of the input, and when 256 KiB hold no blank line.
  public func readHead() throws -> String {
    try input.withLock { input in
      guard let head = try input.readHead({ String(decoding: $0, as: UTF8.self) }) else { throw SocketError.endOfInput }
      return head
    }
  }

  /// Reads so many bytes; throws if the input ends before.
  public func read(exactly count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let piece = try readSome(upTo: count - bytes.count)
      if piece.isEmpty { throw SocketError.endOfInput }
      bytes += piece
    }
    return bytes
  }

  /// Reads what there is, at most so many bytes, blocking for the first; empty at the end of the input.
  public func readSome(upTo limit: Int) throws -> [UInt8] {
    try input.withLock { input in
      if input.isEmpty, try !input.fill(atMost: limit) { return [] }
      let bytes = Array(input.unread.prefix(limit))
      input.consume(bytes.count)
      return bytes
    }
  }

  /// Reads and discards everything until the client ends its output; how many bytes that were.
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

  /// Sends the text's UTF-8.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends bytes; returns when the kernel has taken all of them. Over TLS they are one record, unless they are more than 16 KiB.
  public func send(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes(wire.send) }

  /// Lets time pass, or throws when the connection is closed here.
  func pause(milliseconds: Int) throws { try socket.pause(nanoseconds: milliseconds * 1_000_000) }

  /// Asks the kernel for a receive buffer of about so many bytes: a small one makes the client's writes block early.
  public func setReceiveBuffer(_ size: Int) { socket.setReceiveBuffer(size) }

  /// Closes the connection with a RST.
  public func reset() { socket.reset() }

  /// Ends the output; input can still be read. Over TLS nothing is said before.
  public func halfClose() { socket.halfClose() }

  /// Over TLS: says that nothing comes any more (`close_notify`).
  func sayGoodbye() throws { try (wire as? TLSWire)?.sayGoodbye() }

  /// Closes the connection. Threads blocked in it are woken, and throw.
  public func close() { socket.close() }

  /// Blocks until the client has closed or reset the connection, or it is closed here. Discards what comes until then.
  public func waitForClose() { _ = try? readToEnd() }

  /// Whether the client has closed or reset the connection and everything it sent was taken from the kernel. Does not block.
  public var isClosedByPeer: Bool { socket.isAtEnd }
}
