public import FaradayCore

/// The messages of a WebSocket that is opened again when its connection ends: the result of `connection.webSocketMessages(…)`.
///
///     let prices = connection.webSocketMessages("prices") { socket in
///       try await socket.send("subscribe EUR")
///     }
///     for try await message in prices { print(message) }
///
/// Messages that the server sent while there was no connection are lost, unless the closure asks for them. Each iteration opens
/// a socket of its own. Cancelling the task or releasing the iterator closes the connection at once, also if the closure has
/// kept the socket. There is no reconnection after the application has closed the socket.
///
/// Iterating throws the errors of the closure, and those of `webSocket` and ``WebSocket`` after which there is no reconnection:
/// see ``WebSocket/Reconnection``. After an error the sequence has ended.
public struct WebSocketMessages: AsyncSequence, Sendable {
  public typealias Element = WebSocket.Message
  public typealias Failure = any Error

  let open: @Sendable () async throws -> WebSocket
  let policy: WebSocket.Reconnection

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(open: open, policy: policy) }

  /// Iterates over the messages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let open: @Sendable () async throws -> WebSocket
    private let policy: WebSocket.Reconnection
    private var current: Current?
    /// The number of reconnections since the last message.
    private var reconnections = 0
    private var hasEnded = false

    /// The open socket. Its connection ends with this object, although the application may have kept the socket.
    private final class Current: Sendable {
      let socket: WebSocket

      init(_ socket: WebSocket) { self.socket = socket }

      deinit { socket.session.release() }
    }

    init(open: @escaping @Sendable () async throws -> WebSocket, policy: WebSocket.Reconnection) {
      self.open = open
      self.policy = policy
    }

    /// Returns the next message; nil at the end.
    public mutating func next() async throws -> WebSocket.Message? { try await next(isolation: #isolation) }

    /// Returns the next message; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> WebSocket.Message? {
      while !hasEnded {
        var interruption: (any Error)?
        do {
          if current == nil { current = Current(try await open()) }
          if let message = try await current?.socket.session.inbox.next() {
            reconnections = 0
            return message
          }
        } catch {
          interruption = error
        }
        try await reconnect(after: interruption)
      }
      return nil
    }

    /// Waits for the time to reconnect after the end of the socket. Ends the sequence, and throws the error, if there is no
    /// reconnection.
    private mutating func reconnect(after error: (any Error)?) async throws {
      let session = current?.socket.session
      current = nil
      hasEnded = true
      if error == nil, session?.closure?.code != .goingAway { return }
      if session?.isClosedLocally == true {
        if let error { throw error }
        return
      }
      try Task.checkCancellation()
      guard let delay = policy.delay(after: error, reconnections: reconnections) else {
        if let error { throw error }
        // The server goes away each time: the messages are not complete.
        if policy.limit > 0, let session, let closure = session.closure { throw session.error(.closed(closure)) }
        return
      }
      await policy.onReconnect?(WebSocket.Interruption(error: error, delay: delay, reconnections: reconnections))
      reconnections += 1
      try await policy.clock.sleep(for: delay)
      hasEnded = false
    }
  }
}

extension Connection {
  /// Returns the messages of a WebSocket, with reconnections.
  ///
  ///     let prices = connection.webSocketMessages("prices") { socket in
  ///       try await socket.send("subscribe EUR")
  ///     }
  ///     for try await message in prices { print(message) }
  ///
  /// Nothing is sent before the iteration. See ``FaradayWebSocket/WebSocketMessages`` and
  /// ``FaradayWebSocket/WebSocket/Reconnection``. The other arguments are those of `webSocket`.
  ///
  /// - Parameters:
  ///   - reconnects: when the socket is opened again.
  ///   - onOpen: called with each socket that was opened, to subscribe or to keep it for sending. Its messages are read after
  ///     the call. An error of the closure is thrown as it is, or reconnects if it is transient.
  public func webSocketMessages(
    _ path: some URLReference = "", protocols: [String] = [], variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:],
    configuration: WebSocket.Configuration = WebSocket.Configuration(),
    reconnects: WebSocket.Reconnection = WebSocket.Reconnection(),
    onOpen: @escaping @Sendable (WebSocket) async throws -> Void = { _ in },
    edit: (inout Request) throws -> Void = { _ in }
  ) -> WebSocketMessages {
    let request = Result { try webSocketRequest(path, variables: variables, query: query, headers: headers, edit: edit) }
    return WebSocketMessages(
      open: {
        let socket = try await open(request.get(), protocols, configuration)
        do {
          try await onOpen(socket)
        } catch let error as WebSocketError where error.reason == .notOpen && !socket.session.outbox.isOpen {
          // The server has closed the connection meanwhile: reading the socket tells why.
        } catch {
          socket.session.release()
          throw error
        }
        return socket
      }, policy: reconnects)
  }
}
