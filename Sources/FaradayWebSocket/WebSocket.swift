public import FaradayCore

/// An open WebSocket (RFC 6455): sends messages, and is the async sequence of the messages that it receives.
///
///     let socket = try await connection.webSocket("chat")
///     try await socket.send("hello")
///     for try await message in socket {
///       print(message.text ?? "\(message.data.count) bytes")
///     }
///
/// The sequence ends when the server closes with the code 1000 or 1001 or without a code, or answers ``close(_:reason:)``. It
/// throws ``WebSocketError`` for another code and for a violation of the protocol, and ``FaradayCore/TransportError`` if the connection
/// breaks, unless it was closed by ``close(_:reason:)``. Messages that arrived before are delivered first.
///
/// Messages are received in the background, up to ``Configuration/maximumWaitingMessages``; then the server is slowed down. Pings
/// of the server are answered, and pings are sent (``Configuration/pingInterval``). Each message is delivered once: several
/// loops over one socket share the messages. Thread-safe. Releasing the socket closes its connection at once; call
/// ``close(_:reason:)`` to close it as the protocol asks.
public final class WebSocket: AsyncSequence, Sendable {
  public typealias Element = Message
  public typealias Failure = any Error

  /// The subprotocol that the server has chosen among the offered ones; nil for none.
  public let subprotocol: String?
  /// The header fields of the handshake's response.
  public let headers: HTTPFields
  let session: Session

  init(_ session: Session, subprotocol: String?, headers: HTTPFields) {
    self.session = session
    self.subprotocol = subprotocol
    self.headers = headers
  }

  deinit { session.release() }

  /// How the server has closed the connection; nil before its close frame has arrived.
  public var closure: Closure? { session.closure }

  // MARK: receiving

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: self) }

  /// Iterates over the messages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let socket: WebSocket

    /// Returns the next message; nil at the end.
    public mutating func next() async throws -> Message? { try await socket.session.inbox.next() }

    /// Returns the next message; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Message? {
      try await socket.session.inbox.next()
    }
  }

  // MARK: sending

  /// Sends a text. Returns when there is room for more: waits while the server reads too slowly.
  ///
  /// Throws ``WebSocketError/Reason/notOpen`` if the connection is closed or closing, and `CancellationError` if the task is
  /// cancelled before the message is sent.
  public func send(_ text: String) async throws { try await send(.text, Data(text.utf8)) }

  /// Sends bytes. Otherwise equal to ``send(_:)-(String)``.
  public func send(_ bytes: Data) async throws { try await send(.binary, bytes) }

  /// Sends a message. Otherwise equal to ``send(_:)-(String)``.
  public func send(_ message: Message) async throws {
    switch message {
    case .text(let text): try await send(text)
    case .binary(let bytes): try await send(bytes)
    }
  }

  /// Sends a value as a text of JSON. Throws the encoder's error, and the errors of ``send(_:)-(String)``.
  public func send(json value: some Encodable, by encoder: JSONEncoder = JSONEncoder()) async throws {
    try await send(.text, encoder.encode(value))
  }

  /// Sends one message of bytes in fragments, one for each piece of a sequence, so that it is never in memory as a whole. Other
  /// messages wait until it is sent. An error of the sequence is thrown, and closes the connection, since the message cannot
  /// be completed. The end of the connection is thrown with the next piece.
  public func send<Pieces: AsyncSequence>(streaming pieces: Pieces) async throws where Pieces.Element == Data {
    try await stream(.binary, pieces)
  }

  /// Sends one text in fragments. Otherwise equal to ``send(streaming:)-(Pieces)`` of bytes.
  public func send<Pieces: AsyncSequence>(streaming pieces: Pieces) async throws where Pieces.Element == String {
    try await stream(.text, pieces.map { Data($0.utf8) })
  }

  private func stream<Pieces: AsyncSequence>(_ opcode: Opcode, _ pieces: Pieces) async throws where Pieces.Element == Data {
    do {
      try await mapped { try await session.outbox.send(opcode, pieces: pieces) }
    } catch {
      // The message is incomplete, and a close frame was sent.
      if session.outbox.isClosing { session.limitClosing() }
      throw error
    }
  }

  private func send(_ opcode: Opcode, _ payload: Data) async throws {
    try await mapped { try await session.outbox.send(opcode, payload) }
  }

  private func mapped(_ send: () async throws -> Void) async throws {
    do { try await send() } catch let problem as Problem { throw session.error(problem.reason) }
  }

  // MARK: pings and the end

  /// Sends a ping and waits for its pong: the server is alive. Throws as ``send(_:)-(String)``, and
  /// ``WebSocketError/Reason/pingTimeout`` if no pong arrives within ``Configuration/pingTimeout``. A pong is not seen while
  /// ``Configuration/maximumWaitingMessages`` wait for their reader.
  public func ping() async throws { try await session.ping() }

  /// Closes the connection: sends a close frame after the messages that were sent before, and waits until the server has
  /// answered it and closed the connection, at most for ``Configuration/closeTimeout``. Messages that arrive meanwhile are
  /// delivered. Has no effect on a closed socket.
  ///
  /// - Parameters:
  ///   - code: a code that must not be sent (RFC 6455, section 7.4.1), such as 1005, is left out.
  ///   - reason: at most 123 bytes in UTF-8; the rest is cut off.
  public func close(_ code: CloseCode = .normal, reason: String = "") async { await session.close(code, reason) }
}
