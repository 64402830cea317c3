@_spi(Adapters) internal import FaradayCore

/// The body of a transfer's request while it is sent: its source, the number of sent bytes, and whether it can be sent again.
/// Used on the engine's thread only, once the transfer is submitted.
///
/// **Reentrancy.** The methods never call libcurl, which could read the next bytes during a change of this value. `Exchange`
/// resumes libcurl when no method is running.
struct Sending {
  /// The source of a body that libcurl reads with callbacks.
  private enum Source {
    /// No body, or a small body that libcurl has copied.
    case none
    case memory(Data)
    case stream(SendBuffer)
  }

  /// The maximum size of a body that libcurl copies and sends together with the head, in bytes: libcurl's limit.
  static let smallBody = 64 << 10 - 1

  private var source = Source.none
  private var producer: Task<Void, Never>?
  /// The number of body bytes that libcurl has read.
  private(set) var sent: Int64 = 0
  /// The number of bytes that were reported to `onUploadProgress`.
  private var reported: Int64 = 0
  /// Whether libcurl has paused sending, because the source has no bytes.
  private(set) var isPaused = false

  init(_ body: Body) {
    if let data = body.data {
      if data.count > Self.smallBody { source = .memory(data) }
    } else if body.length != 0 {
      // A body with the length 0 was read by `CurlAdapter`, and may allow to be read only once.
      source = .stream(SendBuffer(length: body.length))
    }
  }

  /// Whether libcurl sends the body without callbacks: the body is empty, or libcurl has copied it.
  var isCopied: Bool { if case .none = source { true } else { false } }

  /// The error of the body's source; nil if there is none.
  var failure: (any Error)? { if case .stream(let buffer) = source { buffer.failure } else { nil } }

  // MARK: the source

  /// Starts the task that reads a streamed body. The task waits for ``open()``. Called by the sending task, whose priority and
  /// task-local values it inherits.
  ///
  /// - Parameter tell: called when bytes are available after libcurl has paused.
  mutating func start(_ body: Body, tell: @escaping @Sendable () -> Void) {
    guard case .stream(let buffer) = source else { return }
    producer = Task { await buffer.pump(body, tell: tell) }
  }

  /// Whether a task reads the body.
  var hasProducer: Bool { if case .stream = source { true } else { false } }

  /// Opens the source, because the transfer is active.
  func open() {
    if case .stream(let buffer) = source { buffer.open() }
  }

  /// Stops the source.
  mutating func close() {
    if case .stream(let buffer) = source { buffer.close() }
    producer?.cancel()
    producer = nil
  }

  // MARK: sending

  /// Copies the next bytes of the body into libcurl's buffer.
  mutating func fill(_ target: UnsafeMutableRawBufferPointer) -> SendBuffer.Filled {
    let filled: SendBuffer.Filled
    switch source {
    case .none: return .end
    case .memory(let data):
      let start = data.startIndex + Int(sent)
      let count = min(target.count, data.endIndex - start)
      data.copyBytes(to: target, from: start..<start + count)
      filled = .bytes(count)
    case .stream(let buffer): filled = buffer.fill(target)
    }
    if case .bytes(let count) = filled { sent += Int64(count) }
    return filled
  }

  /// Notes that libcurl pauses.
  mutating func pause() { isPaused = true }

  /// Notes that libcurl is about to send again.
  mutating func resume() { isPaused = false }

  /// The number of sent bytes, if it has grown since the last call; nil otherwise. A small body counts as sent when the
  /// response begins.
  mutating func newProgress(hasResponse: Bool, length: Int64?) -> Int64? {
    if isCopied, hasResponse { sent = length ?? 0 }
    guard sent > reported else { return nil }
    reported = sent
    return sent
  }

  // MARK: sending again

  /// Whether the body can be sent from its start: nothing was sent yet, or it is replayable.
  func canRewind(_ body: Body) -> Bool { sent == 0 || body.isReplayable }

  /// Rewinds the body to its start for another attempt. Returns false if the body is not replayable.
  ///
  /// - Parameter tell: as in ``start(_:tell:)``.
  mutating func rewind(_ body: Body, tell: @escaping @Sendable () -> Void) -> Bool {
    isPaused = false
    guard canRewind(body) else { return false }
    guard sent > 0 else { return true }
    switch source {
    case .none: break
    case .memory: sent = 0
    case .stream:
      close()
      source = .stream(SendBuffer(length: body.length))
      sent = 0
      start(body, tell: tell)
      open()
    }
    return true
  }
}
