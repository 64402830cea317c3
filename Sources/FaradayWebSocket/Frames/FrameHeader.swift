/// The header of a frame from a server, which must not be masked (RFC 6455, section 5.2).
struct FrameHeader: Equatable {
  /// The maximum size of a header in bytes: without a mask.
  static let maximumSize = 10
  /// The maximum size of a control frame's payload in bytes.
  static let maximumControlPayload = 125

  let opcode: Opcode
  /// Whether the frame is the last one of its message.
  let isFinal: Bool
  /// The bit RSV1: the message is compressed (RFC 7692, section 6).
  let isCompressed: Bool
  /// The size of the payload in bytes.
  let length: Int

  /// The size of the header that begins with these two bytes.
  static func size(beginningWith second: UInt8) -> Int {
    switch second & 0x7F {
    case 126: 4
    case 127: 10
    default: 2
    }
  }

  /// Parses a complete header.
  ///
  /// - Parameter mayBeCompressed: whether compression was negotiated.
  init(_ bytes: borrowing Span<UInt8>, mayBeCompressed: Bool) throws(Violation) {
    let (first, second) = (bytes[0], bytes[1])
    guard let opcode = Opcode(rawValue: first & 0x0F) else {
      throw .malformed("a frame has the reserved opcode \(first & 0x0F)")
    }
    self.opcode = opcode
    isFinal = first & 0x80 != 0
    isCompressed = first & 0x40 != 0
    guard first & 0x30 == 0, !isCompressed || mayBeCompressed && !opcode.isControl && opcode != .continuation else {
      throw .malformed("a frame has a reserved bit without an extension that defines it")
    }
    guard second & 0x80 == 0 else { throw .malformed("a frame of the server is masked") }
    length = try Self.length(bytes)
    guard opcode.isControl else { return }
    guard isFinal else { throw .malformed("a control frame is fragmented") }
    guard length <= Self.maximumControlPayload else {
      throw .malformed("a control frame has a payload of \(length) bytes, more than \(Self.maximumControlPayload)")
    }
  }

  private static func length(_ bytes: borrowing Span<UInt8>) throws(Violation) -> Int {
    let short = bytes[1] & 0x7F
    guard short >= 126 else { return Int(short) }
    var length: UInt64 = 0
    for index in 2..<size(beginningWith: bytes[1]) { length = length << 8 | UInt64(bytes[index]) }
    guard length >= (short == 126 ? 126 : 1 << 16) else { throw .malformed("a frame's length is not in its shortest form") }
    guard length <= UInt64(Int64.max) else { throw .malformed("a frame's length has its highest bit set") }
    return Int(length)
  }
}
