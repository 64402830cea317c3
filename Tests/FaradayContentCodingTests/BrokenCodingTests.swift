import CZlib
import FaradayContentCoding
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct BrokenCodingTests {
  private static let content = text(250)

  /// Short enough for every byte of them: compressed, stored, with fixed codes, and in two blocks.
  private static func encodings(_ wrapper: Wrapper) -> [[UInt8]] {
    let deflater = Deflater(wrapper)
    return [
      deflated(content, wrapper), deflated(content, wrapper, level: 0), deflated(content, wrapper, strategy: Z_FIXED),
      deflater.deflate(Array(content[..<100]), flush: Z_SYNC_FLUSH) + deflater.deflate(Array(content[100...])),
    ]
  }

  @Test(arguments: Wrapper.allCases)
  func `a body truncated at any byte is an error after its decoded bytes`(wrapper: Wrapper) {
    for encoded in Self.encodings(wrapper) {
      for count in 1..<encoded.count {
        for piece in [1, .max] {
          let cut = Decoded(Array(encoded.prefix(count)), [wrapper.coding], piece: piece)
          #expect(cut.error == .truncated(wrapper.coding), "\(count) of \(encoded.count) bytes")
          #expect(cut.bytes == Array(Self.content.prefix(cut.bytes.count)), "\(count) of \(encoded.count) bytes")
        }
      }
      #expect(Decoded(encoded, [wrapper.coding]) == Decoded(Self.content))
    }
  }

  @Test(arguments: [Wrapper.gzip, .zlib])
  func `any flipped bit causes an error or the correct body`(wrapper: Wrapper) {
    for encoded in Self.encodings(wrapper) {
      for index in encoded.indices {
        for bit in 0..<8 {
          var flipped = encoded
          flipped[index] ^= 1 << bit
          let decoded = Decoded(flipped, [wrapper.coding])
          // Right are those with another time in the header, say, or a distance to an equal word.
          guard decoded.error == nil else { continue }
          #expect(decoded.bytes == Self.content, "byte \(index), bit \(bit)")
        }
      }
    }
  }

  @Test func `corrupt raw deflate has no checksum, but decoding always ends`() {
    for encoded in Self.encodings(.none) {
      for index in encoded.indices {
        for bit in 0..<8 {
          var flipped = encoded
          flipped[index] ^= 1 << bit
          let decoded = Decoded(flipped, [.deflate])
          #expect(decoded.bytes.count <= 1032 * flipped.count)
        }
      }
    }
  }

  @Test func `many flipped bits cause an error or the correct body`() {
    var random = SeededGenerator(seed: 8)
    let whole = Self.encodings(.gzip)
    for _ in 0..<5000 {
      var encoded = whole[Int.random(in: whole.indices, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        encoded[Int.random(in: encoded.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let decoded = Decoded(encoded, [.gzip], piece: Int.random(in: 1...encoded.count, using: &random))
      #expect(decoded.error != nil || decoded.bytes == Self.content)
    }
  }

  @Test func `an error repeats, and no more bytes are decoded`() throws {
    let decoder = ContentDecoder([.gzip])
    decoder.feed(.init(gzip(text(10)) + Array("more".utf8)))
    let error = try #require(throws: ContentDecodingError.self) { while try decoder.next() != nil {} }
    decoder.feed(.init(gzip(text(10))))
    decoder.finish()
    for _ in 0..<2 { #expect(throws: error) { try decoder.next() } }
  }
}
