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
    for word in Self.words(value) {
      if isChunked { return "the response has a transfer coding behind chunked" }
      if ("chunked" as StaticString).isEqualIgnoringCase(to: word) {
        isChunked = true
        chunks = ChunkDecoder()
      } else if !("identity" as StaticString).isEqualIgnoringCase(to: word) {
        isTransferCoded = true
      }
    }
    return nil
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x20 || byte == 0x09 }

  private static func words(_ value: Slice<UnsafeRawBufferPointer>) -> [Slice<UnsafeRawBufferPointer>] {
    value.split(whereSeparator: isSeparator)
  }

  /// The same as ``words(_:)``, without an array of them.
  private static func hasWord(
    in value: Slice<UnsafeRawBufferPointer>, where isWanted: (Slice<UnsafeRawBufferPointer>) -> Bool
  ) -> Bool {
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
