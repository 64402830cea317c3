internal import FaradayContentCoding
internal import FaradayCore
internal import Synchronization

/// The frames to send: senders add them, and the transport takes their bytes as the body of the request. Thread-safe.
///
/// A sender waits while more than ``highWatermark`` bytes wait for the transport, whose own buffer has as much again.
final class Outbox: Sendable {
  /// The number of bytes from which on senders wait.
  static let highWatermark = 64 << 10

  private enum Phase {
    case open
    /// A close frame was added, which must be the last one (RFC 6455, section 5.5.1).
    case closing
    /// The transport takes nothing any more.
    case ended
  }

  // Safe: the compressor is used only by the sender that has the turn.
  private struct Compressor: @unchecked Sendable {
    let deflater: MessageDeflater
  }

  private struct State {
    var phase = Phase.open
    var writer = FrameWriter()
    var compressor: Compressor?
    var bytes = Data()
    var takenCount = 0
    /// The payload of the latest ping, if there was no room for its answer (RFC 6455, section 5.5.3).
    var pong: Data?
    var transport: CheckedContinuation<Void, Never>?
    /// The sender that has the turn and waits for room.
    var sender: CheckedContinuation<Void, Never>?

    mutating func takeTransport() -> CheckedContinuation<Void, Never>? {
      defer { transport = nil }
      return transport
    }

    mutating func takeSender() -> CheckedContinuation<Void, Never>? {
      defer { sender = nil }
      return sender
    }

    mutating func writePong() {
      guard let payload = pong else { return }
      pong = nil
      writer.append(.pong, payload, to: &bytes)
    }
  }

  private let state = Mutex(State())
  private let turns = Turns()
  private let minimumCompressedSize: Int

  /// - Parameter minimumCompressedSize: whole messages below this size, in bytes, are not compressed.
  init(minimumCompressedSize: Int = 0) { self.minimumCompressedSize = minimumCompressedSize }

  /// Compresses the messages that follow. Called before the first one.
  func compress(by deflater: MessageDeflater) { state.withLock { $0.compressor = Compressor(deflater: deflater) } }

  private var compressor: Compressor? { state.withLock { $0.compressor } }

  // MARK: senders

  /// Sends a whole message. Returns when there is room for more. Throws ``WebSocketError/Reason/notOpen`` if the outbox is
  /// closed, and `CancellationError` if the task is cancelled before its turn.
  func send(_ opcode: Opcode, _ payload: Data) async throws {
    try await turns.take()
    defer { turns.end() }
    if let compressor, payload.count >= minimumCompressedSize {
      try add(opcode, try compressor.deflater.compress(payload, isEnd: true), isCompressed: true)
    } else {
      try add(opcode, payload)
    }
    await waitForRoom()
  }

  /// Sends a message in fragments, one for each piece. Throws as ``send(_:_:)``, and the error of the pieces; the message is
  /// then incomplete, and no other can follow.
  func send<Pieces: AsyncSequence>(_ opcode: Opcode, pieces: Pieces) async throws where Pieces.Element == Data {
    try await turns.take()
    defer { turns.end() }
    let compressor = compressor
    var opcode = opcode
    var isCompressed = compressor != nil
    do {
      for try await piece in pieces {
        try Task.checkCancellation()
        let payload = try compressor?.deflater.compress(piece, isEnd: false) ?? piece
        // zlib may keep the bytes for a later fragment.
        guard !payload.isEmpty else { continue }
        try add(opcode, payload, isFinal: false, isCompressed: isCompressed)
        (opcode, isCompressed) = (.continuation, false)
        await waitForRoom()
      }
      try add(opcode, try compressor?.deflater.compress(Data(), isEnd: true) ?? Data(), isCompressed: isCompressed)
    } catch {
      close(.goingAway, "")
      throw error
    }
    await waitForRoom()
  }

  private func add(_ opcode: Opcode, _ payload: Data, isFinal: Bool = true, isCompressed: Bool = false) throws {
    let (isOpen, transport) = state.withLock { state in
      guard state.phase == .open else { return (false, state.takeTransport()) }
      state.writer.append(opcode, payload, isFinal: isFinal, isCompressed: isCompressed, to: &state.bytes)
      return (true, state.takeTransport())
    }
    transport?.resume()
    guard isOpen else { throw Problem(reason: .notOpen) }
  }

  /// Waits until there is room, the outbox is closed, or the task is cancelled.
  private func waitForRoom() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.phase == .open, state.bytes.count > Self.highWatermark, !Task.isCancelled else { return true }
          state.sender = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.takeSender() }?.resume()
    }
  }

  // MARK: control frames

  /// Sends a ping, between the fragments of a message too.
  func ping(_ payload: Data) throws { try add(.ping, payload) }

  /// Answers a ping. While the transport takes nothing, only the latest of several pings is answered, so that a server cannot
  /// fill the memory with them.
  func pong(_ payload: Data) {
    let transport = state.withLock { state in
      guard state.phase == .open else { return state.takeTransport() }
      state.pong = payload
      if state.bytes.count <= Self.highWatermark { state.writePong() }
      return state.takeTransport()
    }
    transport?.resume()
  }

  /// Sends a close frame, the last frame. Returns false if one was sent already.
  @discardableResult func close(_ code: WebSocket.CloseCode?, _ reason: String) -> Bool {
    let (isFirst, transport, sender) = state.withLock { state in
      guard state.phase == .open else { return (false, state.takeTransport(), state.takeSender()) }
      state.writePong()
      var payload = Data()
      if let code, code.mayBeSent {
        payload = Data([UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]) + Data(Self.short(reason).utf8)
      }
      state.writer.append(.close, payload, to: &state.bytes)
      state.phase = .closing
      return (true, state.takeTransport(), state.takeSender())
    }
    turns.close()
    transport?.resume()
    sender?.resume()
    return isFirst
  }

  /// The beginning of a reason that fits into a close frame, without a part of a character.
  private static func short(_ reason: String) -> String {
    var reason = reason
    while reason.utf8.count > FrameHeader.maximumControlPayload - 2 { reason.unicodeScalars.removeLast() }
    return reason
  }

  /// Drops what was not sent: the connection has ended.
  func end() {
    let (transport, sender) = state.withLock { state in
      state.phase = .ended
      state.bytes = Data()
      return (state.takeTransport(), state.takeSender())
    }
    turns.close()
    transport?.resume()
    sender?.resume()
  }

  // MARK: the transport

  /// The body of the handshake's request. Each attempt of the handshake can read it: nothing is taken before the server has
  /// switched protocols.
  var body: Body {
    .reading(length: nil, isReplayable: true) {
      let reading = Reading(outbox: self)
      return { await reading.outbox.next() }
    }
  }

  /// The transport's reading of the body. When it is released, nothing is sent any more.
  private final class Reading: Sendable {
    let outbox: Outbox

    init(outbox: Outbox) { self.outbox = outbox }

    deinit { outbox.end() }
  }

  /// Whether bytes wait for the transport.
  var hasBytes: Bool { state.withLock { !$0.bytes.isEmpty } }

  /// The number of times that the transport has taken bytes.
  var takenCount: Int { state.withLock { $0.takenCount } }

  /// Whether messages can still be sent.
  var isOpen: Bool { state.withLock { $0.phase == .open } }

  /// Whether a close frame was added, and the transport has not ended.
  var isClosing: Bool { state.withLock { $0.phase == .closing } }

  /// The next bytes to send; nil when the outbox is closed and empty, or the transport has stopped reading.
  private func next() async -> Data? {
    while true {
      let (isOver, bytes, sender) = state.withLock { state in
        if state.phase == .open { state.writePong() }
        guard !state.bytes.isEmpty else { return (state.phase != .open, Data?.none, state.takeSender()) }
        defer { state.bytes = Data() }
        state.takenCount += 1
        return (false, state.bytes, state.takeSender())
      }
      sender?.resume()
      if let bytes { return bytes }
      if isOver || Task.isCancelled { return nil }
      await waitForBytes()
    }
  }

  private func waitForBytes() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.phase == .open, state.bytes.isEmpty, state.pong == nil, !Task.isCancelled else { return true }
          state.transport = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      // The exchange has ended, and nothing would be taken any more.
      end()
    }
  }
}
