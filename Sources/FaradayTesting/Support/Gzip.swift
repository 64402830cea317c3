/// A small gzip encoder (RFC 1952, RFC 1951) for test bodies: uncompressed bytes, and zeros that expand a thousandfold (a
/// decompression bomb).
package enum Gzip {
  /// Returns the bytes as an uncompressed gzip member.
  package static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result = header
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      result.append(rest.isEmpty ? 1 : 0)
      result += littleEndian(UInt32(block.count) | ~UInt32(block.count) << 16)
      result += block
    } while !rest.isEmpty
    return result + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
  }

  /// Returns a gzip member that decodes to this number of zero bytes. It has about 1/1032 of their size. A negative count is
  /// zero.
  package static func zeros(_ count: Int) -> Pieces { Pieces(zeros: max(0, count)) }

  /// A gzip member, piece by piece, in constant memory. A piece has at most 64 KiB.
  package struct Pieces: Sequence, IteratorProtocol, Sendable {
    /// The total number of bytes of all pieces.
    package let byteCount: Int
    private var first: [UInt8]?
    private var zerosLeft: Int
    private var last: [UInt8]?
    private static let zeroPiece = [UInt8](repeating: 0, count: 64 << 10)

    /// The data is a zero, then "258 bytes like the one before" as often as it fits, then single zeros. In the code of
    /// `writeCodes` a match is two zero bits, so that nearly all of the member is zeros as well.
    fileprivate init(zeros count: Int) {
      let matches = Swift.max(0, count - 1) / 258
      var head = BitWriter(bytes: header)
      head.writeCodes()
      if count > 0 { head.write(0b011, 3) }
      let zeroBits = 2 * matches
      let inHead = Swift.min(zeroBits, head.freeBits)
      head.write(0, inHead)
      first = head.isAligned ? head.bytes : nil
      zerosLeft = (zeroBits - inHead) / 8

      var tail = head.isAligned ? BitWriter(bytes: []) : head
      tail.write(0, (zeroBits - inHead) % 8)
      for _ in 0..<Swift.max(0, count - 1 - 258 * matches) { tail.write(0b011, 3) }
      tail.write(0b01, 2)
      let end = tail.bytes + littleEndian(checksum(zeros: count)) + littleEndian(UInt32(truncatingIfNeeded: count))
      last = end
      byteCount = (first?.count ?? 0) + zerosLeft + end.count
    }

    /// The next piece; nil at the end.
    package mutating func next() -> [UInt8]? {
      if let piece = first.take() { return piece }
      if zerosLeft > 0 {
        let count = Swift.min(zerosLeft, Self.zeroPiece.count)
        zerosLeft -= count
        return count == Self.zeroPiece.count ? Self.zeroPiece : [UInt8](repeating: 0, count: count)
      }
      return last.take()
    }
  }

  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// Writes bits, the lowest first. Huffman codes have to be given in reverse.
private struct BitWriter {
  private(set) var bytes: [UInt8]
  /// The number of unused bits in the last byte.
  private(set) var freeBits = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAligned: Bool { freeBits == 0 }

  mutating func write(_ value: UInt32, _ count: Int) {
    for index in 0..<count {
      if freeBits == 0 {
        bytes.append(0)
        freeBits = 8
      }
      bytes[bytes.count - 1] |= UInt8(value >> UInt32(index) & 1) << UInt8(8 - freeBits)
      freeBits -= 1
    }
  }

  /// Begins the last block, with these codes: 0 for "258 bytes", 10 for the end, 110 for a zero (and 111 for a one, which
  /// makes the code complete); and 0 for the only distance, 1.
  mutating func writeCodes() {
    write(1, 1)
    write(2, 2)
    write(29, 5)  // 286 codes of literals and lengths,
    write(0, 5)  // 1 of distances,
    write(14, 4)  // 18 of code lengths, in the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1:
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
      write([1, 2, 3, 18].contains(symbol) ? 2 : 0, 3)
    }
    // Hence 00 is length 1, 01 is 2, 10 is 3, and 11 is "11 to 138 times 0"; here as they are written, in reverse.
    let (one, two, three, zeros): (UInt32, UInt32, UInt32, UInt32) = (0b00, 0b10, 0b01, 0b11)
    write(three, 2)  // for 0
    write(three, 2)  // for 1
    for run in [138, 116] as [UInt32] {  // for 2...255
      write(zeros, 2)
      write(run - 11, 7)
    }
    write(two, 2)  // for 256, the end
    write(zeros, 2)  // for 257...284
    write(28 - 11, 7)
    write(one, 2)  // for 285, "258 bytes"
    write(one, 2)  // for the distance
  }
}

extension Gzip {
  // CRC-32, with polynomials over GF(2) held in reverse: the highest bit is the coefficient of 1.
  private static let polynomial: UInt32 = 0xEDB8_8320

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : polynomial) }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }

  /// A zero byte multiplies the register by x^8: n of them by x^8n, which takes about log n steps.
  fileprivate static func checksum(zeros count: Int) -> UInt32 {
    var register = ~UInt32(0)
    var power: UInt32 = 1 << 23
    var rest = count
    while rest > 0 {
      if rest & 1 == 1 { register = product(register, power) }
      power = product(power, power)
      rest >>= 1
    }
    return ~register
  }

  private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
    var (result, right): (UInt32, UInt32) = (0, right)
    for bit in (0..<32).reversed() {
      if left >> UInt32(bit) & 1 == 1 { result ^= right }
      right = right >> 1 ^ (right & 1 == 0 ? 0 : polynomial)
    }
    return result
  }
}
