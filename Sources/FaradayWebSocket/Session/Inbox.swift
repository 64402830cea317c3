@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// The received messages that wait for their reader, with backpressure. Thread-safe.
final class Inbox: Sendable {
  private struct State {
    var messages = Fifo<WebSocket.Message>()
    var size = 0
    var takenCount = 0
    /// What follows the last message; nil while more may follow.
    var end: Result<Void, any Error>?
    var lastNumber = 0
    var readers: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var producer: CheckedContinuation<Void, Never>?

    mutating func takeProducer() -> CheckedContinuation<Void, Never>? {
      defer { producer = nil }
      return producer
    }
  }

  private let state = Mutex(State())
  private let maximumCount: Int
  private let maximumSize: Int

  init(maximumCount: Int, maximumSize: Int) {
    self.maximumCount = max(1, maximumCount)
    self.maximumSize = maximumSize
  }

  /// The number of tasks that wait for a message.
  var waitingReaders: Int { state.withLock { $0.readers.count } }

  /// The number of messages that readers have taken.
  var takenCount: Int { state.withLock { $0.takenCount } }

  /// Whether so many messages wait that nothing more is read from the connection.
  var isFull: Bool { state.withLock { isFull($0) } }

  private func isFull(_ state: State) -> Bool {
    state.end == nil && (state.messages.count >= maximumCount || state.size > maximumSize)
  }

  // MARK: the connection's side

  /// Adds a message, and waits until there is room for another.
  func put(_ message: WebSocket.Message) async {
    let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.end == nil else { return nil }
      state.messages.append(message)
      state.size += message.byteCount
      return state.readers.isEmpty ? nil : state.readers.removeFirst().continuation
    }
    reader?.resume()
    guard isFull else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasRoom = state.withLock { state in
          guard isFull(state), !Task.isCancelled else { return true }
          state.producer = continuation
          return false
        }
        if hasRoom { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.takeProducer() }?.resume()
    }
  }

  /// Ends the messages, with an error or cleanly. Only the first call has an effect.
  func end(_ error: (any Error)?) {
    typealias Waiting = CheckedContinuation<Void, Never>
    let (readers, producer) = state.withLock { state -> ([Waiting], Waiting?) in
      guard state.end == nil else { return ([], nil) }
      state.end = error.map { .failure($0) } ?? .success(())
      defer { state.readers = [] }
      return (state.readers.map(\.continuation), state.takeProducer())
    }
    for reader in readers { reader.resume() }
    producer?.resume()
  }

  // MARK: the reader's side

  /// The next message; nil at a clean end. Throws the error of the end, and `CancellationError`.
  func next() async throws -> WebSocket.Message? {
    while true {
      if Task.isCancelled {
        wakeReader()
        throw CancellationError()
      }
      let (message, end, producer) = state.withLock { state in
        let message = state.messages.popFirst()
        if let message {
          state.size -= message.byteCount
          state.takenCount += 1
        }
        return (message, state.end, isFull(state) ? nil : state.takeProducer())
      }
      producer?.resume()
      if let message { return message }
      if let end {
        try end.get()
        return nil
      }
      await waitForMessage()
    }
  }

  /// Wakes another reader, if a message waits: the one that was woken for it is cancelled.
  private func wakeReader() {
    let reader = state.withLock { $0.messages.isEmpty || $0.readers.isEmpty ? nil : $0.readers.removeFirst().continuation }
    reader?.resume()
  }

  private func waitForMessage() async {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.messages.isEmpty, state.end == nil, !Task.isCancelled else { return true }
          state.readers.append((number, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let index = state.readers.firstIndex(where: { $0.number == number }) else { return nil }
        return state.readers.remove(at: index).continuation
      }
      reader?.resume()
    }
  }
}
