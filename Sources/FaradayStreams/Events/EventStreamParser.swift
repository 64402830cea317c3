internal import FaradayCoding
public import FaradayCore

/// An incremental parser of event streams, `text/event-stream` (WHATWG HTML, section 9.2.6), for bytes from any source.
///
///     var parser = EventStreamParser()
///     parser.append(piece)
///     while let event = try parser.next() { print(event.type, event.data) }
///
/// The events do not depend on how the bytes are split into pieces. An event is complete with the empty line that ends it. An
/// event that is truncated by the end of the stream is dropped. A byte order mark at the beginning is dropped.
///
/// A value type. It stores the appended piece, the beginning of a line, and the data of one event, each within its ``limits``.
/// Line ends are searched with `memchr`, and a line within one piece is not copied.
public struct EventStreamParser: Sendable {
  /// The limits of a line and an event.
  public let limits: EventStreamLimits
  /// The last event ID after the last event that ``next()`` has returned. A reconnection sends it as `Last-Event-ID`. An ID
  /// without data, which is not an event, counts too. Empty if there is none.
  public private(set) var lastEventID: String
  /// The reconnection time of the server's `retry` field; nil if there was no such field.
  public private(set) var retry: Duration?

  /// The appended piece. Its unparsed rest begins at `ends.start`.
  private var piece = Data()
  private var ends = LineEnds()
  /// The beginning of a line whose end has not arrived.
  private var begun: [UInt8] = []
  private var isFirstLine = true
  private var failure: EventStreamError?

  // The buffers of the specification, for an event whose empty line has not arrived. Each line of data ends with a line feed.
  private var type = ""
  private var data: [UInt8] = []
  private var id: String

  /// Creates a parser at the beginning of a stream.
  ///
  /// - Parameter lastEventID: the last event ID of the stream that this one continues. Empty by default.
  public init(limits: EventStreamLimits = EventStreamLimits(), lastEventID: String = "") {
    self.limits = limits
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// Adds the next bytes of the stream. Call ``next()`` until it returns nil before you add more: otherwise both pieces are
  /// joined by a copy.
  public mutating func append(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    if piece.isEmpty {
      piece = bytes
    } else {
      piece = piece.dropFirst(ends.start) + bytes
    }
    ends.begin(piece.span.bytes)
  }

  /// Returns the next event in the bytes so far; nil if it is not complete. Throws ``EventStreamError`` for a line or an event
  /// above its limit, after the events before it have been returned, and in each later call.
  public mutating func next() throws -> ServerSentEvent? {
    if let failure { throw failure }
    guard !piece.isEmpty else { return nil }
    do {
      return try nextEvent()
    } catch {
      failure = error
      (piece, begun, data) = (Data(), [], [])
      throw error
    }
  }

  /// Begins another stream, which continues this one after a reconnection: drops incomplete data, and keeps ``lastEventID`` and
  /// ``retry``.
  public mutating func restart() {
    let retry = retry
    self = EventStreamParser(limits: limits, lastEventID: lastEventID)
    self.retry = retry
  }

  private mutating func nextEvent() throws(EventStreamError) -> ServerSentEvent? {
    let piece = piece
    let bytes = piece.span.bytes
    while let range = ends.next(in: bytes) {
      let event: ServerSentEvent?
      if begun.isEmpty {
        event = try take(bytes.extracting(range))
      } else {
        try hold(bytes.extracting(range))
        let line = begun
        begun.removeAll(keepingCapacity: line.count <= Self.keptCapacity)
        event = try take(line.span.bytes)
      }
      if let event { return event }
    }
    try hold(bytes.extracting(ends.start..<bytes.byteCount))
    self.piece = Data()
    return nil
  }

  /// Buffers with a larger capacity are not reused for the next event.
  private static let keptCapacity = 64 << 10

  private mutating func hold(_ bytes: RawSpan) throws(EventStreamError) {
    guard begun.count + bytes.byteCount <= limits.line else { throw EventStreamError(.lineTooLong(limit: limits.line)) }
    bytes.withUnsafeBytes { begun.append(contentsOf: $0) }
  }

  /// Parses a line. Returns the event that the line ends.
  private mutating func take(_ line: RawSpan) throws(EventStreamError) -> ServerSentEvent? {
    guard line.byteCount <= limits.line else { throw EventStreamError(.lineTooLong(limit: limits.line)) }
    var line = line
    if isFirstLine {
      isFirstLine = false
      if line.withUnsafeBytes({ $0.starts(with: [0xEF, 0xBB, 0xBF]) }) { line = line.extracting(droppingFirst: 3) }
    }
    guard !line.isEmpty else { return dispatch() }
    try line.withUnsafeBytes { (bytes) throws(EventStreamError) in try take(field: bytes) }
    return nil
  }

  /// Parses a non-empty line: a field, or a comment, which is a field with an empty name.
  private mutating func take(field line: UnsafeRawBufferPointer) throws(EventStreamError) {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if name.elementsEqual("data".utf8) {
      guard data.count + value.count < limits.event else { throw EventStreamError(.eventTooLarge(limit: limits.event)) }
      data.append(contentsOf: UnsafeRawBufferPointer(rebasing: value))
      data.append(0x0A)
    } else if name.elementsEqual("event".utf8) {
      type = Self.text(value)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { id = Self.text(value) }
    } else if name.elementsEqual("retry".utf8) {
      // Digits only; very many digits mean a very long time.
      if let milliseconds = Self.text(value).deltaSeconds { retry = .milliseconds(Int64(milliseconds)) }
    }
  }

  /// Ends an event. Without data there is no event, but its ID is kept.
  private mutating func dispatch() -> ServerSentEvent? {
    lastEventID = id
    defer {
      type = ""
      data.removeAll(keepingCapacity: data.count <= Self.keptCapacity)
    }
    guard !data.isEmpty else { return nil }
    let text = String(decoding: data.dropLast(), as: UTF8.self)
    return ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, id: id)
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String { String(decoding: bytes, as: UTF8.self) }
}
