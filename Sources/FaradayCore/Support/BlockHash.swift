/// A hash function over blocks of one size, with the length at the end (Merkle–Damgård): what SHA-256 and SHA-512 share.
protocol BlockHash {
  /// The size of a block in bytes.
  static var blockSize: Int { get }
  /// The bytes that do not fill a block yet.
  var block: [UInt8] { get set }
  /// The number of bytes so far.
  var length: UInt64 { get set }
  /// Hashes the block of the bytes that begins at this index.
  mutating func compress(_ bytes: Span<UInt8>, at start: Int)
}

extension BlockHash {
  mutating func absorb(_ bytes: Span<UInt8>) {
    length &+= UInt64(bytes.count)
    var index = 0
    while !block.isEmpty, index < bytes.count {
      append(bytes[index])
      index += 1
    }
    while bytes.count - index >= Self.blockSize {
      compress(bytes, at: index)
      index += Self.blockSize
    }
    while index < bytes.count {
      append(bytes[index])
      index += 1
    }
  }

  /// Adds the end: a bit, zeros, and the length in bits, which takes an eighth of the last block.
  mutating func pad() {
    let bits = length &* 8
    append(0x80)
    while block.count != Self.blockSize - Self.blockSize / 8 { append(0) }
    // Those of SHA-512 have 128 bits, of which 64 are enough for a body.
    while block.count != Self.blockSize - 8 { append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
  }

  private mutating func append(_ byte: UInt8) {
    block.append(byte)
    guard block.count == Self.blockSize else { return }
    let full = block
    compress(full.span, at: 0)
    block.removeAll(keepingCapacity: true)
  }
}
