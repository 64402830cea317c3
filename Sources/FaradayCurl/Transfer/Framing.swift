internal import FaradayCore

/// What a head says of where its body ends, and whether the connection does with it (RFC 9112, sections 6 and 9).
///
/// libcurl reads the same fields, and reads some of them that it should refuse. What the two could read differently is an error
/// here, so that no framing becomes body and no body becomes the next response.
struct Framing {
  private(set) var contentLength: Int64?
  private(set) var isChunked = false
  private(set) var closesConnection = false
  /// It has a transfer coding that was not asked for.
  private(set) var isTransferCoded = false
  private var hasTransferEncoding = false
  /// Takes the chunks apart, which libcurl is told not to.
  var chunks: ChunkDecoder?

  private var hasFields = false
  private var mayFold = false

  init(closesConnection: Bool = false) { self.closesConnection = closesConnection }

  /// Reads a line of fields. Returns what is wrong with it.
  mutating func read(_ line: UnsafeRawBufferPointer) -> String? {
    guard let first = line.first else { return nil }
    if first == 0x20 || first == 0x09 {
      if !hasFields { return "the response has a folded line without a field before it" }
      return mayFold ? nil : "the response has a field of its framing in more than one line"
    }
    hasFields = true
    mayFold = true
    // c and t, in either case: all that matters begins with these.
    guard first | 0x20 == 0x63 || first | 0x20 == 0x74, let field = Field(line) else { return nil }
    mayFold = false
    guard !field.hasBlank else { return "the response has a blank before the colon of a field of its framing" }
    // To some readers these are blanks, to others not (RFC 9112, section 2.2).
    guard !field.value.contains(where: { $0 == 0x0D || $0 == 0 }) else {
      return "the response has a carriage return or a NUL within a field of its framing"
    }
    switch field.name {
    case .contentLength: return readLength(field.value)
    case .transferEncoding: return readTransferCodings(field.value)
    case .connection:
      if Self.hasWord(in: field.value, where: { ("close" as StaticString).isEqualIgnoringCase(to: $0) }) {
        closesConnection = true
      }
    }
    return nil
  }

  /// A message with two lengths has been tampered with on the way, or will be (RFC 9112, section 6.3).
  private mutating func readLength(_ value: Slice<UnsafeRawBufferPointer>) -> String? {
    var rest = value
    while true {
      let end = rest.firstIndex(of: 0x2C) ?? rest.endIndex
      guard let length = Self.number(Field.trimmed(rest[..<end])), contentLength.map({ $0 == length }) ?? true else {
        return "the response has more than one Content-Length, or none that is a number"
      }
      contentLength = length
      guard end < rest.endIndex else { return nil }
      rest = rest[(end + 1)...]
    }
  }

  /// Nil unless it is digits and fits.
  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit &- 0x30 < 10 else { return nil }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = tens.addingReportingOverflow(Int64(digit &- 0x30))
      guard !isTooLarge, !isOver else { return nil }
      number = sum
    }
    return number
  }

  /// libcurl takes off whatever it knows, asked or not. Chunked is the last, and comes once (RFC 9112, section 6.1).
  private mutating func readTransferCodings(_ value: Slice<UnsafeRawBufferPointer>) -> String? {
    hasTransferEncoding = true
    let hasMore = Self.hasWord(in: value) { word in
      if isChunked { return true }
      if ("chunked" as StaticString).isEqualIgnoringCase(to: word) {
        isChunked = true
        chunks = ChunkDecoder()
      } else if !("identity" as StaticString).isEqualIgnoringCase(to: word) {
        isTransferCoded = true
      }
      return false
    }
    return hasMore ? "the response has a transfer coding behind chunked" : nil
  }

  private static func hasWord(
    in value: Slice<UnsafeRawBufferPointer>, where isWanted: (Slice<UnsafeRawBufferPointer>) -> Bool
  ) -> Bool {
    func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x20 || byte == 0x09 }
    var rest = value.drop(while: isSeparator)
    while !rest.isEmpty {
      let end = rest.firstIndex(where: isSeparator) ?? rest.endIndex
      if isWanted(rest[..<end]) { return true }
      rest = rest[end...].drop(while: isSeparator)
    }
    return false
  }

  /// The length of the body, if the head states it.
  var length: Int64? { isChunked ? nil : contentLength }

  /// It has a length and a transfer coding that is not chunked, or is none: libcurl then goes by the connection's end alone
  /// (RFC 9112, section 6.3), and others by the length if the coding is `identity` (RFC 2616, section 4.4).
  var hasTwoEnds: Bool { hasTransferEncoding && !isChunked && contentLength != nil }

  /// One of the few fields that the transfer itself depends on.
  private struct Field {
    enum Name { case contentLength, transferEncoding, connection }

    let name: Name
    let value: Slice<UnsafeRawBufferPointer>
    /// It has a blank before its colon.
    let hasBlank: Bool

    init?(_ line: UnsafeRawBufferPointer) {
      guard let colon = line.firstIndex(of: 0x3A) else { return nil }
      var end = colon
      while end > 0, Self.isBlank(line[end - 1]) { end -= 1 }
      // By their lengths: most fields are none of these.
      let (known, name): (StaticString, Name)
      switch end {
      case 10: (known, name) = ("connection", .connection)
      case 14: (known, name) = ("content-length", .contentLength)
      case 17: (known, name) = ("transfer-encoding", .transferEncoding)
      default: return nil
      }
      guard known.isEqualIgnoringCase(to: line[..<end]) else { return nil }
      self.name = name
      hasBlank = end != colon
      value = Self.trimmed(line[(colon + 1)...])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

    static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
      var bytes = bytes.drop(while: isBlank)
      while let last = bytes.last, isBlank(last) { bytes.removeLast() }
      return bytes
    }
  }
}

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
