public import FaradayCore
internal import FaradayWebSocket

/// A WebSocket test server on the loopback interface (RFC 6455), with a closure per connection.
///
///     let server = try WebSocketServer { client in
///       let question = try client.readMessage()
///       try client.send(.text, Data("you said: ".utf8) + question.payload)
///       try client.close(code: 1000)
///     }
///     let socket = try await Connection(server.url, adapter: adapter).webSocket()
///
/// It accepts the handshake and then sends exactly the frames that a test chooses, also malformed ones. Thread-safe. It stops
/// when its last reference is released.
public final class WebSocketServer: Sendable {
  private let server: RawServer

  /// Starts listening on a free port, and runs `onConnection` on a thread per connection, after the handshake. The connection
  /// is closed when it returns or throws.
  ///
  /// - Parameter fields: header fields that are added to the response, each with its CR LF: a subprotocol or an extension.
  public convenience init(
    fields: String = "", onConnection: @escaping @Sendable (WebSocketClient) throws -> Void
  ) throws {
    try self.init(RawServer(onConnection: Self.accepting(fields, onConnection)))
  }

  /// Creates a server over another server, for TLS.
  package init(_ server: RawServer) throws { self.server = server }

  /// A server that returns each message, and answers pings and close frames.
  public static func echo() throws -> WebSocketServer {
    try WebSocketServer { client in
      while true {
        let message = try client.readMessage()
        try client.send(message.opcode, message.payload)
        if message.opcode == .close { return }
      }
    }
  }

  /// Accepts the handshake of a connection, and runs the closure.
  package static func accepting(
    _ fields: String, _ onConnection: @escaping @Sendable (WebSocketClient) throws -> Void
  ) -> @Sendable (RawConnection) throws -> Void {
    { connection in
      let head = try connection.readHead()
      let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") }
      let key = line?.split(separator: ":", maxSplits: 1).last?.drop { $0 == " " } ?? ""
      try connection.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(OpeningHandshake.acceptance(of: String(key)))\r\n\(fields)\r\n")
      try onConnection(WebSocketClient(connection, head: head))
    }
  }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  public var url: String { server.url }

  /// The number of connections accepted so far.
  public var connectionCount: Int { server.connectionCount }

  /// Stops listening and closes all connections. Can be called again.
  public func stop() { server.stop() }
}

/// A client of a ``WebSocketServer``, with blocking calls. Thread-safe, but only one thread may read at a time.
public final class WebSocketClient: Sendable {
  /// The kind of a frame (RFC 6455, section 5.2).
  public enum Opcode: UInt8, Sendable {
    /// A later part of a message.
    case continuation = 0
    /// A text, or its first part.
    case text = 1
    /// Bytes, or their first part.
    case binary = 2
    /// The end of the connection, with a code and a reason.
    case close = 8
    /// A request for a pong with the same content.
    case ping = 9
    /// The answer to a ping.
    case pong = 10
  }

  /// A frame from the client.
  public struct Frame: Sendable, Equatable {
    /// The kind of the frame.
    public let opcode: Opcode
    /// Whether it is the last frame of its message.
    public let isFinal: Bool
    /// The bit RSV1: the message is compressed.
    public let isCompressed: Bool
    /// The content without its mask.
    public let payload: Data
  }

  /// The head of the handshake's request.
  public let head: String
  /// The connection, to send other bytes than frames.
  public let connection: RawConnection

  init(_ connection: RawConnection, head: String) {
    self.connection = connection
    self.head = head
  }

  /// Reads a frame. Throws ``SocketError`` at the end of the connection, and for a frame that a client must not send: without
  /// a mask, with a reserved bit or opcode, or with a length that is not in its shortest form.
  public func readFrame() throws -> Frame {
    let start = try connection.read(exactly: 2)
    guard let opcode = Opcode(rawValue: start[0] & 0x0F), start[0] & 0x30 == 0, start[1] & 0x80 != 0 else {
      throw SocketError.endOfInput
    }
    var length = Int(start[1] & 0x7F)
    if length >= 126 {
      let isShort = length == 126
      let bytes = try connection.read(exactly: isShort ? 2 : 8)
      length = bytes.reduce(0) { $0 << 8 | Int($1) }
      guard length >= (isShort ? 126 : 1 << 16) else { throw SocketError.endOfInput }
    }
    let mask = try connection.read(exactly: 4)
    var payload = try connection.read(exactly: length)
    for index in payload.indices { payload[index] ^= mask[index & 3] }
    return Frame(
      opcode: opcode, isFinal: start[0] & 0x80 != 0, isCompressed: start[0] & 0x40 != 0, payload: Data(payload))
  }

  /// Reads a message: the next text or bytes, of one frame or several, or a close frame. Answers pings, and drops pongs.
  public func readMessage() throws -> Frame {
    var first: Frame?
    var payload = Data()
    while true {
      let frame = try readFrame()
      switch frame.opcode {
      case .ping: try send(.pong, frame.payload)
      case .pong: break
      case .close: return frame
      case .text, .binary, .continuation:
        first = first ?? frame
        payload.append(frame.payload)
        guard frame.isFinal, let first else { continue }
        return Frame(opcode: first.opcode, isFinal: true, isCompressed: first.isCompressed, payload: payload)
      }
    }
  }

  /// Sends a frame without a mask, as servers do.
  public func send(_ opcode: Opcode, _ payload: Data = Data(), isFinal: Bool = true, isCompressed: Bool = false) throws {
    var bytes = [(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue]
    switch payload.count {
    case ...125: bytes.append(UInt8(payload.count))
    case ...0xFFFF: bytes += [126] + withUnsafeBytes(of: UInt16(payload.count).bigEndian) { Array($0) }
    default: bytes += [127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) }
    }
    try connection.send(bytes + payload)
  }

  /// Sends a text.
  public func send(_ text: String) throws { try send(.text, Data(text.utf8)) }

  /// Sends a close frame, and reads until the client's.
  public func close(code: UInt16, reason: String = "") throws {
    try send(.close, Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + Data(reason.utf8))
    while try readMessage().opcode != .close {}
  }
}
