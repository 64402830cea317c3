@testable import FaradayWebSocket
import FaradayContentCoding
import FaradayCore
import FaradayTesting
import Testing

/// Sessions over bodies that a test controls, without a connection.
@Suite struct SessionTests {
  /// A server that always has another frame ready, until its reader is gone.
  private final class Endless: AsyncSequence, Sendable {
    let pulled = Log<Void>()
    let hasGone = Gate()

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    final class Iterator: AsyncIteratorProtocol {
      private let source: Endless

      init(source: Endless) { self.source = source }

      deinit { source.hasGone.open() }

      func next() async -> Data? {
        source.pulled.append(())
        return source.pulled.elements.count < 20_000 ? Data([0x81, 0x01, 0x78]) : nil
      }
    }
  }

  private func session(_ change: (inout WebSocket.Configuration) -> Void = { _ in }) throws -> Session {
    var configuration = WebSocket.Configuration()
    change(&configuration)
    return Session(Outbox(), configuration, RequestSummary(try Request("http://host/")))
  }

  /// A body that ends when its continuation is finished.
  private func body() -> (Body, AsyncStream<Data>.Continuation) {
    let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
    return (.stream(pieces), continuation)
  }

  @Test func `a released session with a full inbox reads no further`() async throws {
    let endless = Endless()
    let session = try session { $0.maximumWaitingMessages = 1 }
    session.start(reading: .stream(endless), nil)
    await until { session.inbox.isFull }
    session.release()
    #expect(await endless.hasGone.opened())
    #expect(endless.pulled.elements.count < 20_000)
  }

  @Test func `an ended session reads no further`() async throws {
    let clock = ManualClock()
    let endless = Endless()
    let session = try session {
      $0.clock = clock
      $0.pingInterval = nil
      $0.maximumWaitingMessages = 1
    }
    session.start(reading: .stream(endless), nil)
    await until { session.inbox.isFull }
    async let closing: Void = session.close(.normal, "")
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await closing
    #expect(await endless.hasGone.opened())
    #expect(endless.pulled.elements.count < 20_000)
  }

  @Test func `a sender whose transport has ended does not limit the messages that wait`() async throws {
    let clock = ManualClock()
    let session = try session {
      $0.clock = clock
      $0.pingInterval = nil
    }
    let socket = WebSocket(session, subprotocol: nil, headers: [:])
    session.outbox.end()
    await #expect(throws: WebSocketError.self) {
      try await socket.send(streaming: AsyncStream<Data> { $0.finish() })
    }
    // No end of a closing handshake is scheduled: the messages that have arrived, and their error, are still delivered.
    #expect(clock.slept == [])
  }

  @Test func `a transport that takes bytes is alive although its sender is ahead`() async throws {
    let clock = ManualClock()
    let session = try session {
      $0.clock = clock
      $0.maximumWaitingMessages = 1
    }
    let (body, continuation) = body()
    session.start(reading: body, nil)
    continuation.yield(Data([0x81, 0x01, 0x78]))
    await until { session.inbox.isFull }
    await clock.sleepers(1)
    clock.advance(by: .seconds(30))
    await clock.sleepers(1)
    var transport = session.outbox.body.makeAsyncIterator()
    _ = try await transport.next()
    // Bytes of the next message wait when the time for a sign of life is over.
    try await session.outbox.send(.text, Data("x".utf8))
    clock.advance(by: .seconds(30))
    await until { clock.asleep == 1 || !session.outbox.isOpen }
    #expect(session.outbox.isOpen)
    session.release()
    continuation.finish()
  }

  @Test(arguments: [(30, 30, 0), (30, 10, 20), (20, 30, 0)])
  func `pings are sent in their interval, and not before the time for an answer is over`(interval: Int, timeout: Int, rest: Int)
    async throws
  {
    let clock = ManualClock()
    let session = try session {
      $0.clock = clock
      $0.pingInterval = .seconds(interval)
      $0.pingTimeout = .seconds(timeout)
    }
    let (body, continuation) = body()
    session.start(reading: body, nil)
    for wait in [interval, timeout, rest, timeout, rest, timeout] where wait > 0 {
      await clock.sleepers(1)
      continuation.yield(Data([0x81, 0x01, 0x78]))
      #expect(try await session.inbox.next() == .text("x"))
      clock.advance(by: .seconds(wait))
    }
    await clock.sleepers(1)
    #expect(clock.slept.prefix(6) == [interval, timeout, rest, timeout, rest, timeout].map { .seconds($0) }[...])
    session.release()
    continuation.finish()
  }

  @Test func `a server that stops within a frame is silent`() async throws {
    let clock = ManualClock()
    let session = try session { $0.clock = clock }
    let (body, continuation) = body()
    session.start(reading: body, nil)
    // A message, and the beginning of a frame of 5 bytes.
    continuation.yield(Data([0x81, 0x01, 0x78, 0x82, 0x05, 0x01]))
    #expect(try await session.inbox.next() == .text("x"))
    await clock.sleepers(1)
    clock.advance(by: .seconds(30))
    await clock.sleepers(1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: WebSocketError.self) { try await session.inbox.next() }
    #expect(error?.reason == .pingTimeout)
    continuation.finish()
  }

  @Test func `a reader that takes messages keeps its connection, although nothing is sent`() async throws {
    let clock = ManualClock()
    let session = try session {
      $0.clock = clock
      $0.maximumWaitingMessages = 1
    }
    let (body, continuation) = body()
    session.start(reading: body, nil)
    // Two messages in one piece: the second one waits until the first one is taken.
    continuation.yield(Data([0x81, 0x01, 0x78, 0x81, 0x01, 0x79]))
    await until { session.inbox.isFull }
    await clock.sleepers(1)
    clock.advance(by: .seconds(30))
    await clock.sleepers(1)
    for text in ["x", "y"] { #expect(try await session.inbox.next() == .text(text)) }
    clock.advance(by: .seconds(30))
    await until { clock.asleep == 1 || !session.outbox.isOpen }
    #expect(session.outbox.isOpen)
    session.release()
    continuation.finish()
  }

  @Test func `a session that ends at once leaves no keepalive`() async throws {
    let clock = ManualClock()
    for _ in 0..<200 {
      let session = try session { $0.clock = clock }
      session.start(reading: .stream(AsyncStream<Data> { $0.finish() }), nil)
    }
    await until { clock.asleep == 0 }
    // Each keepalive has begun, or was cancelled before it began.
    await Task.yield()
    #expect(clock.asleep == 0)
  }

  @Test func `a message reaches another reader if its first reader is cancelled`() async throws {
    for _ in 0..<500 {
      let inbox = Inbox(maximumCount: 10, maximumSize: 100)
      let (first, second) = (Task { try await inbox.next() }, Task { try await inbox.next() })
      await until { inbox.waitingReaders == 2 }
      await inbox.put(.text("x"))
      first.cancel()
      // If the first reader has taken the message before its cancellation, the second one gets the next.
      if case .success = await first.result { await inbox.put(.text("x")) }
      #expect(try await second.value == .text("x"))
    }
  }

  @Test func `a cancelled sender does not wait for room`() async throws {
    let outbox = Outbox()
    let sender = Task { try await outbox.send(.binary, Data(count: 100_000)) }
    await until { outbox.hasBytes }
    sender.cancel()
    try await sender.value
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Outbox().send(.text, Data())
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `senders that wait for their turn end with the connection`() async throws {
    let outbox = Outbox()
    let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
    let streaming = Task { try await outbox.send(.binary, pieces: pieces) }
    continuation.yield(Data([1]))
    await until { outbox.hasBytes }
    let waiting = Task { try await outbox.send(.text, Data()) }
    outbox.end()
    let error = await #expect(throws: Problem.self) { try await waiting.value }
    #expect(error == Problem(reason: .notOpen))
    continuation.yield(Data([2]))
    await #expect(throws: Problem.self) { try await streaming.value }
  }

  @Test func `senders that wait for their turn end with the close frame`() async throws {
    let outbox = Outbox()
    let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
    let streaming = Task { try await outbox.send(.binary, pieces: pieces) }
    continuation.yield(Data([1]))
    await until { outbox.hasBytes }
    let waiting = Task { try await outbox.send(.text, Data()) }
    outbox.close(.normal, "")
    let error = await #expect(throws: Problem.self) { try await waiting.value }
    #expect(error == Problem(reason: .notOpen))
    continuation.finish()
    await #expect(throws: Problem.self) { try await streaming.value }
  }

  @Test func `a streamed message that fails limits the time of the closing handshake`() async throws {
    let clock = ManualClock()
    let session = try session { ($0.clock, $0.pingInterval) = (clock, nil) }
    let (body, continuation) = body()
    session.start(reading: body, nil)
    let socket = WebSocket(session, subprotocol: nil, headers: [:])
    await #expect(throws: Gone.self) {
      try await socket.send(streaming: AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Gone()) })
    }
    await clock.sleepers(1)
    clock.advance(by: .seconds(60))
    await until { !session.outbox.isClosing }
    continuation.finish()
  }

  private struct Gone: Error {}

  @Test func `a socket that is released while it closes keeps its connection for the closing handshake`() async throws {
    let clock = ManualClock()
    let session = try session { ($0.clock, $0.pingInterval) = (clock, nil) }
    let (body, continuation) = body()
    session.start(reading: body, nil)
    let closing = Task { await session.close(.normal, "") }
    await clock.sleepers(1)
    session.release()
    #expect(session.outbox.isClosing)
    continuation.finish()
    await closing.value
    #expect(!session.outbox.isClosing)
  }

  @Test func `a ping without a pong has an end`() async throws {
    let clock = ManualClock()
    let session = try session { ($0.clock, $0.pingInterval) = (clock, nil) }
    let pinging = Task { try await session.ping() }
    await clock.sleepers(1)
    await until { session.outbox.hasBytes }
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: WebSocketError.self) { try await pinging.value }
    #expect(error?.reason == .pingTimeout)
  }

  @Test func `final blocks without output are refused`() throws {
    let inflater = MessageInflater(keepsContext: true)
    inflater.feed(Data((0..<1000).flatMap { _ in [0x03, 0x00] as [UInt8] }))
    #expect(throws: ContentDecodingError.self) { while try inflater.next() != nil {} }
  }
}
