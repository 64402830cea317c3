@_spi(Adapters) internal import FaradayCore

/// The response of a transfer while it arrives: its head, and the destination of its body. Used on the engine's thread only.
///
/// If the caller wants the whole body and it is small, it is buffered and returned together with its head. Any other body goes
/// into a stream, piece by piece. Waking a task for every piece is expensive, so pieces are coalesced: until there are many,
/// until no more arrive, or for a millisecond. A reader on the engine's thread gets pieces at once.
///
/// **Reentrancy.** The methods call the caller's closures and the engine's clock, but never libcurl, which could deliver the
/// next piece during a change of this value. `Exchange` resumes libcurl when no method is running.
struct Receiving {
  /// The result of consuming a piece of the body.
  enum Taken {
    case whole
    /// The piece was consumed, and bytes after the end of the body were dropped: the connection must not be reused.
    case wholeWithExcess
    /// The stream is full: libcurl must pause, and delivers the piece again when it is resumed.
    case full
    /// The rate limit is reached: libcurl must pause until ``nextDeadline``.
    case ahead
    /// The turn is over: libcurl must pause until the next one.
    case outOfTurn
    /// The reader is gone.
    case unwanted
    case malformed(ResponseParser.Problem)
  }

  /// The state of backpressure.
  private enum Flow {
    case flowing
    /// The stream is full: the next piece pauses the transfer.
    case full
    /// The transfer is paused in libcurl.
    case paused
  }

  /// The maximum size of a body that is returned together with its head with buffered delivery, in bytes.
  static let maximumBufferedBody = 256 << 10
  /// The time for which the head waits for such a body, in nanoseconds. A middleware that needs only the head, such as
  /// redirects, must not wait for a stalled server.
  private static let maximumBufferingTime: Int64 = 1_000_000_000
  /// The number of unflushed bytes from which a body counts as large: the engine then waits for more, even if none are ready to
  /// be read.
  private static let bulk = 32 << 10
  /// The maximum time for which received bytes may wait to be coalesced with more, in nanoseconds.
  static let maximumCoalescingTime: Int64 = 1_000_000

  private var parser: ResponseParser
  /// The lines of a head, for ``Options/onRawHead``.
  private var rawHead = Data()
  /// The time at which the first byte of the response arrived, in nanoseconds of `Clock`; 0 before.
  private(set) var firstByte: Int64 = 0
  /// The number of received and decoded bytes of the body.
  private(set) var received: Int64 = 0
  /// The number of bytes at the start of the next piece that were consumed before a pause: libcurl delivers that piece again.
  private var consumedBeforePause = 0
  /// How much of the engine's turn was used.
  private(set) var turnUsage = TurnShare.Usage()
  private var flow = Flow.flowing
  /// The body of a response that may be small. Nil otherwise.
  private var bufferedBody: Data?
  /// The stream of any other body.
  private var stream: ResponseStream?
  /// The time at which the first unflushed byte arrived.
  private var coalescingSince: Int64 = 0
  /// The time at which receiving resumes after the rate limit has paused it.
  private var resumeAt = Int64.max
  /// The time at which the head is delivered even if a small body is incomplete.
  private var bufferingDeadline = Int64.max
  private let streamCapacity: Int
  /// Whether small pieces of the body may be merged.
  private let gathers: Bool
  /// The rate limit, in bytes per second.
  private let maximumRate: Int?
  /// Whether the lines of trailers are collected for ``Options/onRawHead``.
  private let collectsTrailers: Bool
  /// Whether the waiting task runs on the engine's thread (task executor).
  private var isReadOnEngine = false

  init(to request: Request, streamCapacity: Int) {
    parser = Self.parser(for: request)
    self.streamCapacity = streamCapacity
    let options = request.options
    gathers = options.onChunk == nil
    maximumRate = options.transport.flatMap { $0.fields.rates.maximumReceive }
    collectsTrailers = options.onRawHead != nil
  }

  private static func parser(for request: Request) -> ResponseParser {
    ResponseParser(
      to: request.method, request.headers, switchesProtocol: request.options.transport.map { $0.fields.upgrade != nil } ?? false)
  }

  // MARK: the beginning

  /// Notes that the task that waits for the response runs on the engine's thread.
  mutating func noteReaderOnEngine() { isReadOnEngine = true }

  /// Notes that the transfer has started, and the caller wants a small body together with its head.
  mutating func beginBuffering(at now: Int64) { bufferingDeadline = now + Self.maximumBufferingTime }

  /// Drops the head of a challenge, because another response follows.
  mutating func awaitNextResponse(to request: Request) {
    parser = Self.parser(for: request)
    firstByte = 0
    flow = .flowing
  }

  /// Drops all received data, because another attempt follows. Nothing of it was delivered.
  mutating func awaitNextAttempt(for request: Request) {
    awaitNextResponse(to: request)
    consumedBeforePause = 0
    received = 0
    bufferedBody = nil
    stream = nil
  }

  // MARK: the head

  /// Whether the head of the final response is complete.
  var hasHead: Bool { parser.isComplete }
  var head: RawHead { parser.head }
  /// The transfer codings of the body, except chunked.
  var codings: [String] { parser.codings }
  /// The trailers so far, as lines.
  var trailers: [UInt8] { parser.trailers }
  /// The status; 0 before the status line.
  var status: Int { parser.status }
  /// The size of the lines of all heads and trailers so far, in bytes.
  var headSize: Int { parser.size }
  /// The length of the body, if the head states it.
  var length: Int64? { parser.length }
  /// Whether the response has no body, whatever its header fields are.
  var hasNoBody: Bool { parser.hasNoBody }
  /// Whether the response has no body, or one of length 0.
  var isEmpty: Bool { parser.hasNoBody || parser.framing.contentLength == 0 }
  /// Whether the server closes the connection after the response.
  var closesConnection: Bool { parser.framing.closesConnection }
  /// Whether the connection has switched to another protocol.
  var hasSwitchedProtocol: Bool { parser.hasSwitchedProtocol }
  /// Whether the body ends with the connection.
  var endsWithConnection: Bool { !parser.hasNoBody && !parser.framing.isChunked && parser.framing.contentLength == nil }
  /// Whether the response is complete.
  var isWhole: Bool { parser.isWhole(received: received) }
  /// Whether the body is chunked, and its last chunk has not arrived.
  var lacksChunks: Bool { parser.framing.chunks.map { !$0.hasEnded && !parser.hasNoBody } ?? false }

  /// Parses a line of a head, or of trailers that libcurl delivers as lines.
  mutating func takeLine(_ line: UnsafeRawBufferPointer, isHTTP2: Bool, isHTTP3: Bool) throws(ResponseParser.Problem)
    -> ResponseParser.Event
  {
    let event = try parser.take(line, isHTTP2: isHTTP2, isHTTP3: isHTTP3)
    if case .begun = event { firstByte = Clock.now }
    return event
  }

  /// Begins a response without a head (HTTP/0.9).
  mutating func beginWithoutHead() {
    parser.beginWithoutHead()
    firstByte = Clock.now
  }

  /// Collects a line for ``Options/onRawHead``. Returns the head if the line completes it.
  mutating func collectRawLine(_ line: UnsafeRawBufferPointer) -> Data? {
    rawHead.append(contentsOf: line)
    guard line.first == 0x0A || line.first == 0x0D else { return nil }
    return takeRawLines()
  }

  /// Takes the collected lines: a head, or trailers at the end. Nil if there are none.
  mutating func takeRawLines() -> Data? {
    guard !rawHead.isEmpty else { return nil }
    defer { rawHead = Data() }
    return rawHead
  }

  // MARK: the body

  /// Begins the delivery after the head is complete. Returns whether ``nextDeadline`` has changed.
  mutating func begin(_ options: Options, at now: Int64, _ engine: Engine?) -> Bool {
    // A small body is buffered if the caller waits for the whole body anyway.
    guard options.deliversWhole, parser.length ?? 0 <= Int64(Self.maximumBufferedBody) else {
      beginStream(at: now, engine)
      return false
    }
    bufferedBody = Data()
    // Restarts the timer if it expired before the head arrived.
    guard bufferingDeadline == .max else { return false }
    beginBuffering(at: now)
    return true
  }

  /// Consumes a piece of the body.
  ///
  /// - Parameter mayPause: false if libcurl must not be paused.
  mutating func take(_ bytes: UnsafeRawBufferPointer, mayPause: Bool, engine: Engine?) -> Taken {
    let taken: Taken
    if parser.framing.chunks == nil {
      taken = pause(mayPause, engine) ?? (append(bytes, engine) ? .whole : .unwanted)
    } else {
      taken = takeChunks(bytes, mayPause, engine)
    }
    switch taken {
    case .full, .ahead, .outOfTurn: flow = .paused
    case .whole, .wholeWithExcess: consumedBeforePause = 0
    case .unwanted, .malformed: break
    }
    return taken
  }

  /// Consumes a piece of a chunked body, chunk by chunk.
  private mutating func takeChunks(_ bytes: UnsafeRawBufferPointer, _ mayPause: Bool, _ engine: Engine?) -> Taken {
    var offset = consumedBeforePause
    while true {
      switch parser.framing.chunks?.next(in: bytes, at: &offset) ?? .dry {
      case .data(let count):
        if let paused = pause(mayPause, engine) {
          consumedBeforePause = offset
          return paused
        }
        parser.framing.chunks?.take(count)
        guard append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), engine) else { return .unwanted }
        offset += count
      case .trailer:
        if collectsTrailers, let line = parser.framing.chunks?.line { rawHead.append(contentsOf: line) }
        do { try parser.takeTrailer() } catch { return .malformed(error) }
      case .dry:
        return .whole
      case .end:
        // Excess bytes do not belong to any request.
        return offset < bytes.count ? .wholeWithExcess : .whole
      case .malformed(let problem):
        return .malformed(.init(code: .malformedResponse, message: "the response's chunked body is malformed: \(problem)"))
      case .tooLarge(let problem):
        return .malformed(.init(code: .headTooLarge, message: problem))
      }
    }
  }

  /// The reason why the transfer must be paused before it receives more; nil if the stream has room and the turn has time left.
  private mutating func pause(_ mayPause: Bool, _ engine: Engine?) -> Taken? {
    guard mayPause else { return nil }
    if flow == .full { return .full }
    guard let engine else { return nil }
    if let maximumRate {
      let due = rateDue(maximumRate)
      if due > engine.now {
        resumeAt = due
        return .ahead
      }
    }
    return engine.isTurnOver(for: &turnUsage) ? .outOfTurn : nil
  }

  /// The time at which the next piece may be received at that rate, in bytes per second. Bytes for an eighth of a second may
  /// arrive at once. libcurl's limit is not used: before 8.0 it passes all bytes that have already arrived.
  private func rateDue(_ rate: Int) -> Int64 {
    let ahead = received - Int64(max(rate / 8, 1))
    guard ahead > 0 else { return 0 }
    return firstByte &+ Int64(min(Double(ahead) / Double(rate), 1e9) * 1e9)
  }

  /// Appends decoded bytes of the body. Returns false if the reader is gone.
  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ engine: Engine?) -> Bool {
    received &+= Int64(bytes.count)
    turnUsage.receive(bytes.count)
    if let stream { return write(bytes, to: stream, engine) }
    if received == bytes.count, let length = parser.length { bufferedBody?.reserveCapacity(Int(clamping: length)) }
    bufferedBody?.append(contentsOf: bytes)
    if received > Self.maximumBufferedBody { beginStream(at: engine?.now ?? 0, engine) }
    return true
  }

  // MARK: the stream

  /// Makes the body go into a stream, so that the head can be delivered before the body is complete.
  mutating func beginStream(at now: Int64, _ engine: Engine?) {
    // Small, so that most pieces are read while they are in the cache; but at least half of a segment, because less would be copied
    // again.
    let segment = SegmentPool.standardSize
    let batch = isReadOnEngine ? segment : max(streamCapacity / 4, segment / 2)
    let stream = ResponseStream(
      capacity: streamCapacity, batch: min(batch, streamCapacity / 2), gathers: gathers, pool: engine?.segmentPool)
    self.stream = stream
    coalescingSince = now
    if let bufferedBody, !bufferedBody.isEmpty, stream.write(bufferedBody) == .pause { flow = .full }
    bufferedBody = nil
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer, to stream: ResponseStream, _ engine: Engine?) -> Bool {
    if stream.gathered == 0 { coalescingSince = engine?.now ?? 0 }
    let answer = stream.write(bytes)
    if stream.isDrained {
      engine?.callbackReturned()
    } else if stream.gathered == 0, isReadOnEngine {
      engine?.runJobs()
      engine?.callbackReturned()
    }
    switch answer {
    case .more: flow = .flowing
    case .pause: flow = .full
    case .stop: return false
    }
    return true
  }

  /// Whether the body goes into a stream, so that the head can be delivered.
  var hasStream: Bool { stream != nil }
  /// Whether the head waits for the rest of a small body.
  var isBuffering: Bool { bufferedBody != nil }
  /// Whether the reader takes each piece with a closure.
  var isDrained: Bool { stream?.isDrained ?? false }
  /// Whether bytes wait to be flushed to the reader.
  var hasUnflushed: Bool { stream.map { $0.gathered > 0 } ?? false }
  /// Whether so many bytes are unflushed that the engine waits for more.
  var hasBulk: Bool { stream.map { $0.gathered >= Self.bulk } ?? false }

  /// Whether the received bytes may wait to be coalesced with more.
  func mayCoalesce(isQuiet: Bool, now: Int64) -> Bool {
    guard flow == .flowing, !isReadOnEngine, hasUnflushed, now - coalescingSince < Self.maximumCoalescingTime else {
      return false
    }
    return hasBulk || !isQuiet
  }

  /// Flushes the received bytes to the reader. Nil if there is no stream.
  func flush(_ engine: Engine?) -> ResponseStream.Answer? {
    guard let stream else { return nil }
    let answer = stream.flush()
    if stream.isDrained { engine?.callbackReturned() }
    return answer
  }

  /// The streamed body for the response; nil if the body is buffered.
  func body(onRoom: @escaping @Sendable () -> Void, onUnwanted: @escaping @Sendable () -> Void) -> Received.Content? {
    stream.map { .stream($0.body(length: length, onRoom: onRoom, onUnwanted: onUnwanted), $0) }
  }

  /// The buffered body for the response, with its trailers.
  var wholeBody: Received.Content { .whole(bufferedBody ?? Data(), trailers: parser.trailers) }

  /// Ends the stream, if there is one.
  func end(_ metrics: TransferMetrics) { stream?.finish(trailers: RawHead.fields(parser.trailers), metrics: metrics) }

  /// Ends the stream with an error, if there is one.
  func fail(_ error: any Error, _ metrics: TransferMetrics) { stream?.fail(error, metrics: metrics) }

  // MARK: pausing

  /// Whether the transfer is paused in libcurl because of the reader, the rate limit or the length of the turn.
  var isPaused: Bool { flow == .paused }

  /// Notes that there is room again. Returns whether libcurl must be resumed.
  mutating func resume() -> Bool {
    defer { flow = .flowing }
    return flow == .paused
  }

  /// The next time at which ``expire(at:)`` must be called, in nanoseconds of `Clock`.
  var nextDeadline: Int64 { min(bufferingDeadline, resumeAt) }

  /// Stops waiting for a complete small body if its time is over. Returns whether a stream begins, and whether the rate limit
  /// allows receiving to resume.
  mutating func expire(at now: Int64, lastActivity: Int64, _ engine: Engine?) -> (beginsStream: Bool, mayResume: Bool) {
    var beginsStream = false
    if bufferingDeadline <= now {
      bufferingDeadline = .max
      beginsStream = bufferedBody != nil
      if beginsStream { beginStream(at: lastActivity, engine) }
    }
    guard resumeAt <= now else { return (beginsStream, false) }
    resumeAt = .max
    return (beginsStream, true)
  }
}

/// A response for the waiting task, unparsed: that task parses it instead of the engine's thread. A class, so that the frame of
/// each waiting request holds only one reference.
final class Received: Sendable {
  enum Content: Sendable {
    case whole(Data, trailers: [UInt8])
    case stream(Body, ResponseStream)
  }

  let head: RawHead
  /// The transfer codings of the body, except chunked.
  let codings: [String]
  let content: Content
  let metrics: TransferMetrics

  init(head: RawHead, codings: [String] = [], content: Content, metrics: TransferMetrics) {
    self.head = head
    self.codings = codings
    self.content = content
    self.metrics = metrics
  }

  // Not inlined: its temporaries would be in the frame of each waiting request.
  @inline(never)
  func response(to request: Request) -> Response {
    let response = codedResponse(to: request)
    return codings.isEmpty ? response : response.decoding(transfer: codings, for: request)
  }

  private func codedResponse(to request: Request) -> Response {
    let (response, version) = head.parsed()
    switch content {
    case .whole(let data, let trailers):
      return Response(
        status: response.status, headers: response.headerFields, body: .data(data), trailers: RawHead.fields(trailers),
        url: request.url, version: version, metrics: metrics)
    case .stream(let body, let stream):
      return Response(
        status: response.status, headers: response.headerFields, body: body, url: request.url, version: version, metrics: metrics,
        stream: stream)
    }
  }
}

/// A response for a waiting task, which is resumed at the end of the turn.
struct Completed: Sendable {
  let waiting: UnsafeContinuation<Received, any Error>
  let received: Received
  let priority: TaskPriority

  func deliver() { waiting.resume(returning: received) }
}

/// The complete responses, collected until the end of the turn.
struct Completions {
  private var completed: [Completed] = []

  mutating func append(_ one: Completed) { completed.append(one) }

  /// Resumes the waiting tasks. For three or more, it wakes one task that resumes them, with their highest priority: waking a
  /// thread for each would cost this thread more than their transfers did.
  mutating func deliver() {
    if completed.count < 3 {
      for one in completed { one.deliver() }
      completed.removeAll(keepingCapacity: true)
    } else {
      let batch = completed
      completed = []
      completed.reserveCapacity(batch.count)
      let priority = batch.reduce(TaskPriority.background) { max($0, $1.priority) }
      Task.detached(priority: priority) { for one in batch { one.deliver() } }
    }
  }
}
