/// Takes the chunked transfer coding off a body (RFC 9112, section 7.1).
///
/// libcurl takes it off as well, to know where the body ends, and is asked to hand it over as it came: it lets sizes pass that
/// are none, and what it has kept while a transfer was paused it hands over without the bounds of the chunks.
struct ChunkDecoder {
  enum Step: Equatable {
    /// So many bytes from the offset on are data of one chunk. They are the caller's to take, at once or bit by bit.
    case data(Int)
    /// A line of trailers is in ``line``, with its end.
    case trailer
    /// There are no more bytes.
    case dry
    /// The body has ended; what follows is not its.
    case end
    case malformed(String)
  }

  private enum State {
    case size, afterSize, `extension`, sizeEnd
    case data, dataEnd, dataLineEnd
    case trailer, end
  }

  private var state = State.size
  private var size: Int64 = 0
  private var digits = 0
  private(set) var line: [UInt8] = []
  private var hasTrailers = false

  /// Whether the last chunk and the trailers have been read to their end.
  var hasEnded: Bool { state == .end }

  /// Counts data of the current chunk as read.
  mutating func take(_ count: Int) {
    size -= Int64(count)
    if size == 0 { state = .dataEnd }
  }

  /// What comes next. Moves the offset over framing, and not over data.
  mutating func next(in bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Step {
    while state != .end {
      guard offset < bytes.count else { return .dry }
      if state == .data { return .data(Int(min(size, Int64(bytes.count - offset)))) }
      if state == .trailer {
        guard let step = readTrailer(bytes, &offset) else { continue }
        return step
      }
      if let problem = read(bytes[offset]) { return .malformed(problem) }
      offset += 1
    }
    return .end
  }

  /// Reads a byte of framing. Returns what is wrong with it.
  private mutating func read(_ byte: UInt8) -> String? {
    switch state {
    case .size: return readSize(byte)
    case .afterSize:
      switch byte {
      case 0x20, 0x09: break
      case 0x3B: state = .extension
      case 0x0D: state = .sizeEnd
      case 0x0A: endSize()
      default: return "a chunk size is no hexadecimal number"
      }
    case .extension:
      if byte == 0x0D { state = .sizeEnd } else if byte == 0x0A { endSize() }
    case .sizeEnd:
      guard byte == 0x0A else { return "a chunk size has a carriage return in its line" }
      endSize()
    case .dataEnd:
      guard byte == 0x0D || byte == 0x0A else { return "a chunk is longer than its size" }
      if byte == 0x0D { state = .dataLineEnd } else { beginSize() }
    case .dataLineEnd:
      guard byte == 0x0A else { return "a chunk is longer than its size" }
      beginSize()
    case .data, .trailer, .end: break
    }
    return nil
  }

  private mutating func readSize(_ byte: UInt8) -> String? {
    let digit: UInt8
    switch byte {
    case 0x30...0x39: digit = byte - 0x30
    case 0x41...0x46, 0x61...0x66: digit = (byte | 0x20) - 0x61 + 10
    default:
      guard digits > 0 else { return "a chunk has no size" }
      state = .afterSize
      return read(byte)
    }
    guard size <= Int64.max >> 4 else { return "a chunk size is beyond all numbers" }
    size = size << 4 | Int64(digit)
    digits += 1
    return nil
  }

  private mutating func beginSize() {
    state = .size
    size = 0
    digits = 0
  }

  private mutating func endSize() { state = size == 0 ? .trailer : .data }

  /// Reads on to the end of a line of trailers. Nil if that was the blank one.
  private mutating func readTrailer(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step? {
    // The line before has been read by now.
    if line.last == 0x0A { line.removeAll(keepingCapacity: true) }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    let end = rest.firstIndex(of: 0x0A).map { $0 + 1 }
    line.append(contentsOf: rest[..<(end ?? rest.count)])
    offset += end ?? rest.count
    guard line.count <= Self.maximumLine else { return .malformed("a trailer is longer than \(Self.maximumLine) bytes") }
    guard end != nil else { return .dry }
    if line.count == 1 || line.count == 2 && line[0] == 0x0D {
      state = .end
      return nil
    }
    let isFolded = line[0] == 0x20 || line[0] == 0x09
    guard isFolded ? hasTrailers : line[0] != 0x3A && line.contains(0x3A) else { return .malformed("a trailer is no field") }
    hasTrailers = true
    return .trailer
  }

  /// libcurl's limit of a header line.
  private static let maximumLine = 100 << 10
}
