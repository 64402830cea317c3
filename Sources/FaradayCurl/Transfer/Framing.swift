@_spi(Adapters) internal import FaradayCore

/// The framing of a response: the end of its body, and whether the connection is closed after it (RFC 9112, sections 6 and 9).
///
/// libcurl parses the same fields, and accepts some that it should reject. Here every ambiguity is an error, to prevent
/// response smuggling: framing is never treated as body, nor body as the next response.
struct Framing {
  private(set) var contentLength: Int64?
  private(set) var isChunked = false
  private(set) var closesConnection = false
  /// The transfer codings except chunked, in the order in which they were applied.
  private(set) var codings: [String] = []
  private var hasTransferEncoding = false
  /// The decoder of a chunked body; libcurl is configured not to decode it.
  var chunks: ChunkDecoder?

  private var hasFields = false
  private var mayFold = false

  init(closesConnection: Bool = false) { self.closesConnection = closesConnection }

  /// Reads a header line. Returns a description of its error; nil if it is valid.
  mutating func read(_ line: UnsafeRawBufferPointer) -> String? {
    guard let first = line.first else { return nil }
    if first == 0x20 || first == 0x09 {
      if !hasFields { return "the response's head starts with a folded line" }
      return mayFold ? nil : "a Content-Length, Transfer-Encoding or Connection field is folded over several lines"
    }
    hasFields = true
    mayFold = true
    // A case-insensitive c or t: all relevant fields begin with one of them.
    guard first | 0x20 == 0x63 || first | 0x20 == 0x74, let field = Field(line) else { return nil }
    mayFold = false
    guard !field.hasBlank else { return "a Content-Length, Transfer-Encoding or Connection field has a space before its colon" }
    // Some parsers treat CR and NUL as spaces (RFC 9112, section 2.2).
    guard !field.value.contains(where: { $0 == 0x0D || $0 == 0 }) else {
      return "a Content-Length, Transfer-Encoding or Connection field contains a carriage return or NUL"
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

  /// Different lengths in one message indicate request or response smuggling (RFC 9112, section 6.3).
  private mutating func readLength(_ value: Slice<UnsafeRawBufferPointer>) -> String? {
    var rest = value
    while true {
      let end = rest.firstIndex(of: 0x2C) ?? rest.endIndex
      guard let length = Self.number(Field.trimmed(rest[..<end])), contentLength.map({ $0 == length }) ?? true else {
        return "the response has different Content-Length values, or one that is not a number"
      }
      contentLength = length
      guard end < rest.endIndex else { return nil }
      rest = rest[(end + 1)...]
    }
  }

  /// Parses decimal digits; nil if there are other characters, or the number does not fit.
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

  /// Chunked must be the last coding, and occur once (RFC 9112, section 6.1).
  private mutating func readTransferCodings(_ value: Slice<UnsafeRawBufferPointer>) -> String? {
    hasTransferEncoding = true
    let hasMore = Self.hasWord(in: value) { word in
      if isChunked { return true }
      if ("chunked" as StaticString).isEqualIgnoringCase(to: word) {
        isChunked = true
        chunks = ChunkDecoder()
      } else if !("identity" as StaticString).isEqualIgnoringCase(to: word) {
        codings.append(String(decoding: word, as: UTF8.self).lowercased())
      }
      return false
    }
    return hasMore ? "the response's Transfer-Encoding has a coding after chunked" : nil
  }

  private static func hasWord(
    in value: Slice<UnsafeRawBufferPointer>, where matches: (Slice<UnsafeRawBufferPointer>) -> Bool
  ) -> Bool {
    func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x20 || byte == 0x09 }
    var rest = value.drop(while: isSeparator)
    while !rest.isEmpty {
      let end = rest.firstIndex(where: isSeparator) ?? rest.endIndex
      if matches(rest[..<end]) { return true }
      rest = rest[end...].drop(while: isSeparator)
    }
    return false
  }

  /// The length of the body, if the head states it and it is not overridden by chunked coding.
  var length: Int64? { isChunked ? nil : contentLength }

  /// Whether the end is ambiguous: the response has a length and a transfer coding that is not chunked. libcurl then reads
  /// until the connection is closed (RFC 9112, section 6.3). Other clients use the length if the coding is `identity` (RFC
  /// 2616, section 4.4).
  var isAmbiguous: Bool { hasTransferEncoding && !isChunked && contentLength != nil }

  /// A header field that affects framing.
  private struct Field {
    enum Name { case contentLength, transferEncoding, connection }

    let name: Name
    let value: Slice<UnsafeRawBufferPointer>
    /// Whether there is a space before the colon.
    let hasBlank: Bool

    init?(_ line: UnsafeRawBufferPointer) {
      guard let colon = line.firstPlace(of: 0x3A) else { return nil }
      var end = colon
      while end > 0, Self.isBlank(line[end - 1]) { end -= 1 }
      // The length is compared first, because most fields are irrelevant.
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

/// A decoder for the chunked transfer coding (RFC 9112, section 7.1).
///
/// libcurl parses the coding too, to find the end of the body, but is configured to deliver the raw bytes: it accepts malformed
/// sizes, and loses the bounds of chunks that it buffers while a transfer is paused.
struct ChunkDecoder {
  enum Step: Equatable {
    /// This many bytes from the offset on are data of one chunk. The caller consumes them, also in parts, with ``take(_:)``.
    case data(Int)
    /// A trailer line is in ``line``, with its line end.
    case trailer
    /// All bytes were read; more are needed.
    case dry
    /// The body has ended; any bytes that follow are not part of it.
    case end
    case malformed(String)
    /// The framing exceeds a limit.
    case tooLarge(String)
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
  /// The framing bytes beyond the normal amount for chunks of this size: see ``maximumExcess``.
  private var excess: Int64 = 0

  /// Whether the last chunk and the trailers have been read.
  var hasEnded: Bool { state == .end }

  /// Consumes this many bytes of the current chunk's data.
  mutating func take(_ count: Int) {
    size -= Int64(count)
    if size == 0 { state = .dataEnd }
  }

  /// Returns the next element. Moves the offset past framing, but not past data.
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
      excess += 1
      guard excess <= Self.maximumExcess else {
        return .tooLarge("the response's chunks have over \(Self.maximumExcess) bytes of extensions and other framing")
      }
    }
    return .end
  }

  /// Reads a byte of framing. Returns a description of its error; nil if it is valid.
  private mutating func read(_ byte: UInt8) -> String? {
    switch state {
    case .size: return readSize(byte)
    case .afterSize:
      switch byte {
      case 0x20, 0x09: break
      case 0x3B: state = .extension
      case 0x0D: state = .sizeEnd
      case 0x0A: endSize()
      default: return "a chunk size is not a hexadecimal number"
      }
    case .extension:
      if byte == 0x0D { state = .sizeEnd } else if byte == 0x0A { endSize() }
    case .sizeEnd:
      guard byte == 0x0A else { return "a chunk size line contains a carriage return" }
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
    guard size <= Int64.max >> 4 else { return "a chunk size is too large" }
    size = size << 4 | Int64(digit)
    digits += 1
    return nil
  }

  private mutating func beginSize() {
    state = .size
    size = 0
    digits = 0
  }

  private mutating func endSize() {
    state = size == 0 ? .trailer : .data
    excess = size > Self.maximumExcess ? 0 : max(0, excess - Self.usualFraming - 2 * size)
  }

  /// Reads a trailer line. Nil if it was the empty line at the end.
  private mutating func readTrailer(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step? {
    // The previous line has been consumed.
    if line.last == 0x0A { line.removeAll(keepingCapacity: true) }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    let end = rest.firstIndex(of: 0x0A).map { $0 + 1 }
    line.append(contentsOf: rest[..<(end ?? rest.count)])
    offset += end ?? rest.count
    guard line.count <= Self.maximumLine else {
      return .tooLarge("a trailer of the response is longer than \(Self.maximumLine) bytes")
    }
    guard end != nil else { return .dry }
    if line.count == 1 || line.count == 2 && line[0] == 0x0D {
      state = .end
      return nil
    }
    let isFolded = line[0] == 0x20 || line[0] == 0x09
    guard isFolded ? hasTrailers : line[0] != 0x3A && line.contains(0x3A) else {
      return .malformed("a trailer line is not a header field")
    }
    hasTrailers = true
    return .trailer
  }

  /// The maximum length of a trailer line, in bytes. libcurl's limit is 4,096, including its own bytes, and applies only to
  /// lines that arrive in parts.
  private static let maximumLine = 4094
  /// The framing of a chunk that is always allowed, and the maximum excess over it and over twice the chunk's data, in bytes,
  /// as in Go's net/http. Otherwise a server could keep a client busy with unused extensions (CVE-2023-39326).
  private static let usualFraming: Int64 = 16
  private static let maximumExcess: Int64 = 16 << 10
}
