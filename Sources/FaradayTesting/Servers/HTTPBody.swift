internal import FaradayCore

/// A request's body, read piece by piece. For the connection's thread.
final class HTTPBody {
  let framing: Framing
  /// The number of bytes of content that were read so far.
  private(set) var byteCount = 0
  /// The number of HTTP chunks that were begun so far, without the last, empty one.
  private(set) var chunkCount = 0
  /// Whether the body was read to its end.
  private(set) var isFinished: Bool

  private let wire: any Wire
  private let input: InputBuffer
  /// The remaining bytes of the body if framed by length, else of the chunk.
  private var remaining: Int
  private var owesContinue: Bool

  init(_ head: HTTPHead, _ wire: any Wire, _ input: InputBuffer) {
    framing = head.framing
    remaining = head.contentLength
    isFinished = framing == .none || framing == .length && remaining == 0
    owesContinue = head.expectsContinue && !isFinished
    self.wire = wire
    self.input = input
  }

  /// Sends `100 Continue` to a client that waits for it. Reading does this too.
  func start() throws {
    guard owesContinue else { return }
    owesContinue = false
    // A client that has not waited no longer needs it.
    guard input.isEmpty else { return }
    try Array("HTTP/1.1 100 Continue\r\n\r\n".utf8).withUnsafeBytes(wire.send)
  }

  /// Passes on the next piece of content, and blocks until it arrives. Returns false at the end.
  func next(atMost limit: Int = .max, _ use: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    try start()
    if framing == .chunked && remaining == 0 && !isFinished { try beginChunk() }
    if isFinished { return false }
    if input.isEmpty, try !input.fill(atMost: limit) { throw SocketError.endOfInput }
    let piece = UnsafeRawBufferPointer(rebasing: input.unread.prefix(min(limit, remaining)))
    byteCount += piece.count
    remaining -= piece.count
    try use(piece)
    input.consume(piece.count)
    if remaining == 0 { try endPiece() }
    return true
  }

  /// Reads to the end and drops it.
  func drain() throws {
    while try next({ _ in }) {}
  }

  private func beginChunk() throws {
    let digits = try input.readLine().prefix { $0 != ";" }
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }),
      let size = Int(digits.trimming(), radix: 16)
    else { throw BadRequest(400, "a chunk size is malformed") }
    if size > 0 {
      chunkCount += 1
      remaining = size
    } else {
      try readTrailers()
      isFinished = true
    }
  }

  private func endPiece() throws {
    if framing == .length {
      isFinished = true
    } else if try !input.readLine().isEmpty {
      throw BadRequest(400, "a chunk is longer than its size")
    }
  }

  private func readTrailers() throws {
    var size = 0
    while true {
      let line = try input.readLine()
      if line.isEmpty { return }
      size += line.utf8.count
      if size > InputBuffer.headLimit { throw BadRequest(431, "the trailers are too long") }
    }
  }
}
