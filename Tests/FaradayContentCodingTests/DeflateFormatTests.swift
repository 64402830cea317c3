import CZlib
import FaradayContentCoding
import Testing

@Suite struct DeflateFormatTests {
  private let content = text(5000)

  @Test(arguments: [Wrapper.zlib, .none])
  func `deflate decodes with and without zlib's header, in any pieces, at several levels`(wrapper: Wrapper) {
    for level in [0, 1, 6, 9] as [Int32] {
      for strategy in [Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY] {
        let encoded = deflated(content, wrapper, level: level, strategy: strategy)
        for piece in [1, 2, 4000, .max] {
          #expect(Decoded(encoded, [.deflate], piece: piece) == Decoded(content), "level \(level), pieces of \(piece)")
        }
      }
    }
  }

  @Test(arguments: [Wrapper.zlib, .none])
  func `short and empty bodies decode`(wrapper: Wrapper) {
    for count in 0..<40 {
      for piece in [1, .max] {
        #expect(Decoded(deflated(text(count), wrapper), [.deflate], piece: piece) == Decoded(text(count)), "\(count) bytes")
      }
    }
    #expect(Decoded([], [.deflate]) == Decoded([]))
  }

  @Test(arguments: [Wrapper.zlib, .none])
  func `bytes after the end are an error`(wrapper: Wrapper) {
    let encoded = deflated(content, wrapper)
    for behind in [[0], encoded, Array("more".utf8)] {
      for piece in [1, .max] {
        let decoded = Decoded(encoded + behind, [.deflate], piece: piece)
        #expect(decoded.error == .malformed(.deflate, "bytes follow its end"))
      }
    }
  }

  @Test func `a stored block that looks like a zlib header decodes as raw deflate`() {
    // 3 bits of a last, stored block, then padding; the length and its complement.
    let block: [UInt8] = [1 | 0x40, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)
    #expect(Decoded(block, [.deflate]) == Decoded(Array("hello".utf8)))
  }

  @Test func `data with a zlib header is never decoded as raw deflate`() {
    // 0x78 0x01 is a header, and as bare data a stored block of 1 byte if the next ones are 0, 0xFE, 0xFF. Then an empty last one.
    let both: [UInt8] = [0x78, 0x01, 0, 0xFE, 0xFF, 0x41, 0x03, 0]
    #expect(Decoded(both, [.deflate]).error?.isMalformed == true)
    // The same without a header's multiple of 31.
    let bare: [UInt8] = [0x78, 0x02, 0, 0xFD, 0xFF, 0x41, 0x42, 0x03, 0]
    #expect(Decoded(bare, [.deflate]) == Decoded(Array("AB".utf8)))
  }

  @Test func `a zlib header with a preset dictionary is an error`() {
    #expect(Decoded([0x78, 0x20, 1, 2, 3, 4], [.deflate]).error == .malformed(.deflate, "it needs a preset dictionary"))
    let encoded: [UInt8] = [0x78, 0xBB, 1, 2, 3, 4] + deflated(content, .none)
    #expect(Decoded(encoded, [.deflate]).error == .malformed(.deflate, "it needs a preset dictionary"))
  }
}
