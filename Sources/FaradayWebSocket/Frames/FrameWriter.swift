internal import FaradayCore

/// Writes the frames of a client. Each is masked with new random bytes (RFC 6455, section 5.3), so that a page or a peer
/// that chooses the payload cannot choose the bytes on the wire.
struct FrameWriter {
  /// The source of the masks: the system's cryptographic generator, `getrandom` on Linux.
  private var random = SystemRandomNumberGenerator()

  /// Appends a frame to the bytes.
  mutating func append(
    _ opcode: Opcode, _ payload: Data, isFinal: Bool = true, isCompressed: Bool = false, to bytes: inout Data
  ) {
    let mask = UInt32.random(in: .min ... .max, using: &random)
    Self.append(opcode, payload, isFinal: isFinal, isCompressed: isCompressed, mask: mask, to: &bytes)
  }

  static func append(
    _ opcode: Opcode, _ payload: Data, isFinal: Bool = true, isCompressed: Bool = false, mask: UInt32, to bytes: inout Data
  ) {
    bytes.reserveCapacity(bytes.count + payload.count + FrameHeader.maximumSize + 4)
    bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let isMasked: UInt8 = 0x80
    switch payload.count {
    case ...125: bytes.append(isMasked | UInt8(payload.count))
    case ...0xFFFF:
      bytes.append(isMasked | 126)
      withUnsafeBytes(of: UInt16(payload.count).bigEndian) { bytes.append(contentsOf: $0) }
    default:
      bytes.append(isMasked | 127)
      withUnsafeBytes(of: UInt64(payload.count).bigEndian) { bytes.append(contentsOf: $0) }
    }
    withUnsafeBytes(of: mask) { bytes.append(contentsOf: $0) }
    let start = bytes.count
    bytes.append(payload)
    bytes.withUnsafeMutableBytes { bytes in
      Self.mask(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), with: mask)
    }
  }

  /// Combines the bytes with the mask, eight at a time.
  static func mask(_ bytes: UnsafeMutableRawBufferPointer, with mask: UInt32) {
    let wide = UInt64(mask) << 32 | UInt64(mask)
    var index = 0
    while index + 8 <= bytes.count {
      let masked = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide
      bytes.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    withUnsafeBytes(of: mask) { mask in
      for index in index..<bytes.count { bytes[index] ^= mask[index & 3] }
    }
  }
}
