internal import FaradayContentCoding
internal import FaradayCore

/// A decoder for the messages and control frames of a server. It does no I/O.
struct MessageDecoder {
  /// What the server has sent.
  enum Event: Equatable {
    case message(WebSocket.Message)
    case ping(Data)
    case pong(Data)
    /// A close frame: its code, nil if it has none, and its reason.
    case close(WebSocket.CloseCode?, String)
  }

  /// The message whose fragments arrive.
  private struct Current {
    let isText: Bool
    let isCompressed: Bool
    /// The number of compressed bytes so far.
    var compressed = 0
    var bytes = Data()
    var validator = UTF8Validator()
  }

  /// The maximum size of a message, after its decompression, in bytes.
  private let limit: Int
  private let inflation: MessageInflater?
  private var parser: FrameParser
  private var frame: FrameHeader?
  private var current: Current?
  private var control = Data()

  /// - Parameter inflation: decompresses messages; nil if compression was not negotiated.
  init(limit: Int, inflation: MessageInflater? = nil) {
    self.limit = limit
    self.inflation = inflation
    parser = FrameParser(mayBeCompressed: inflation != nil)
  }

  /// Appends received bytes. Allowed only after ``next()`` has returned nil.
  mutating func append(_ piece: Data) { parser.append(piece) }

  /// The next event; nil if more bytes are needed. After a violation no method may be called.
  mutating func next() throws(Violation) -> Event? {
    while let part = try parser.next() {
      switch part {
      case .header(let header): try begin(header)
      case .payload(let bytes): try take(bytes)
      case .end:
        if let event = try endFrame() { return event }
      }
    }
    return nil
  }

  private mutating func begin(_ header: FrameHeader) throws(Violation) {
    frame = header
    switch header.opcode {
    case .close, .ping, .pong: return
    case .continuation:
      guard current != nil else { throw .malformed("a continuation frame has no message to continue") }
    case .text, .binary:
      guard current == nil else { throw .malformed("a message begins within another message") }
      current = Current(isText: header.opcode == .text, isCompressed: header.isCompressed)
    }
    // Refused at once: waiting for the announced bytes would only waste them.
    guard let current, !current.isCompressed else { return }
    guard header.length <= limit - current.bytes.count else { throw tooLarge() }
    if header.isFinal { self.current?.bytes.reserveCapacity(current.bytes.count + min(header.length, 1 << 20)) }
  }

  private mutating func take(_ bytes: Data) throws(Violation) {
    guard let frame, !frame.opcode.isControl else { return control.append(bytes) }
    guard let compressed = current?.compressed, current?.isCompressed == true else { return try grow(by: bytes) }
    // Deflate adds little to bytes that it cannot compress. More would be blocks without content.
    guard compressed / 2 <= limit / 2 + limit / 256 + 1024 else { throw tooLarge() }
    current?.compressed += bytes.count
    try inflate(bytes, isEnd: false)
  }

  /// Appends decompressed bytes to the message.
  private mutating func grow(by bytes: Data) throws(Violation) {
    guard var current else { return }
    self.current = nil
    guard bytes.count <= limit - current.bytes.count else { throw tooLarge() }
    if current.isText, !bytes.withUnsafeBytes({ current.validator.accepts($0) }) { throw Self.invalidText }
    current.bytes.append(bytes)
    self.current = current
  }

  private mutating func inflate(_ bytes: Data, isEnd: Bool) throws(Violation) {
    guard let inflation else { return }
    inflation.feed(isEnd ? MessageInflater.end : bytes)
    while true {
      let piece: Data?
      do { piece = try inflation.next() } catch {
        throw Violation(.invalidPayload, "a compressed message cannot be decompressed: \(error)")
      }
      guard let piece else { return }
      try grow(by: piece)
    }
  }

  private mutating func endFrame() throws(Violation) -> Event? {
    guard let frame else { return nil }
    self.frame = nil
    guard !frame.opcode.isControl else {
      defer { control = Data() }
      switch frame.opcode {
      case .ping: return .ping(control)
      case .pong: return .pong(control)
      default: return try closing(control)
      }
    }
    guard frame.isFinal else { return nil }
    if current?.isCompressed == true {
      try inflate(Data(), isEnd: true)
      inflation?.endMessage()
    }
    guard let whole = current else { return nil }
    current = nil
    guard whole.isText else { return .message(.binary(whole.bytes)) }
    guard whole.validator.isComplete else { throw Self.invalidText }
    return .message(.text(String(decoding: whole.bytes, as: UTF8.self)))
  }

  private func closing(_ payload: Data) throws(Violation) -> Event {
    guard !payload.isEmpty else { return .close(nil, "") }
    guard payload.count >= 2 else { throw .malformed("a close frame has one byte") }
    let code = WebSocket.CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.mayBeSent else { throw .malformed("a close frame has the code \(code.rawValue), which must not be sent") }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else { throw Self.invalidText }
    return .close(code, reason)
  }

  private func tooLarge() -> Violation { Violation(.messageTooBig, "a message is larger than the limit of \(limit) bytes") }

  private static let invalidText = Violation(.invalidPayload, "a text is not valid UTF-8")
}
