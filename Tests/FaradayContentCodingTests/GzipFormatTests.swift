import CZlib
import FaradayContentCoding
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct GzipFormatTests {
  private let content = text(50_000)

  @Test func `a body decodes alike in any pieces`() {
    for encoded in [gzip(content), deflated(content, .gzip, level: 0), deflated(content, .gzip, strategy: Z_FIXED)] {
      for piece in [1, 2, 3, 17, 1000, 65536, .max] {
        #expect(Decoded(encoded, [.gzip], piece: piece) == Decoded(content), "pieces of \(piece)")
      }
    }
  }

  @Test func `zero bytes are an empty body`() {
    #expect(Decoded([], [.gzip]) == Decoded([]))
    let decoder = ContentDecoder([.gzip])
    decoder.feed(Data())
    #expect(throws: Never.self) { try decoder.next() }
    decoder.finish()
    #expect(throws: Never.self) { try decoder.next() }
  }

  @Test func `several members, also empty ones, are one body in any pieces`() {
    let (first, second, empty) = (text(300), text(20_000), gzip([]))
    let encoded = empty + gzip(first) + empty + empty + Gzip.stored(second) + gzip(first) + empty
    for piece in [1, 2, 5, 19, 20, 21, 4096, .max] {
      #expect(Decoded(encoded, [.gzip], piece: piece) == Decoded(first + second + first), "pieces of \(piece)")
    }
  }

  @Test func `a body truncated in its second member is an error at every byte`() {
    let (first, second) = (gzip(text(200)), gzip(text(100)))
    for count in 1..<second.count {
      #expect(Decoded(first + second.prefix(count), [.gzip]).error == .truncated(.gzip), "\(count) bytes of the second")
      #expect(Decoded(first + second.prefix(count), [.gzip], piece: 1).error == .truncated(.gzip), "\(count) bytes, one by one")
    }
  }

  @Test func `bytes after the last member are an error`() throws {
    for garbage in [Array("more".utf8), [0], [0x1F, 0x8C, 8], [UInt8](repeating: 0, count: 512)] {
      for piece in [1, .max] {
        let error = try #require(Decoded(gzip(content) + garbage, [.gzip], piece: piece).error)
        // One byte alone might have begun another member.
        #expect(error.isMalformed || garbage.count == 1 && error == .truncated(.gzip), "\(garbage): \(error)")
      }
    }
  }

  @Test func `a header with every field and a checksum is skipped`() {
    let encoded = Deflater(.gzip).deflateWithFullHeader(content)
    #expect(encoded[3] == 0b11110)
    for piece in [1, 7, .max] { #expect(Decoded(encoded, [.gzip], piece: piece) == Decoded(content)) }
    let header = 10 + 2 + 8 + 5 + 8 + 2
    for count in 1..<header {
      #expect(Decoded(Array(encoded.prefix(count)), [.gzip]).error == .truncated(.gzip), "\(count) bytes")
      var flipped = encoded
      flipped[count] ^= 0x40
      #expect(Decoded(flipped, [.gzip]).error != nil, "byte \(count)")
    }
  }

  @Test func `checksum and length are verified`() throws {
    let encoded = gzip(content)
    for (place, problem) in [(8, "incorrect data check"), (4, "incorrect length check")] {
      var flipped = encoded
      flipped[encoded.count - place] ^= 1
      #expect(Decoded(flipped, [.gzip]).error == .malformed(.gzip, problem))
    }
  }

  @Test func `decoded bytes are returned before more input is needed`() throws {
    for wrapper in Wrapper.allCases {
      let (deflater, decoder) = (Deflater(wrapper), ContentDecoder([wrapper.coding]))
      for count in [1, 5, 300, 20_000, 2] {
        let message = text(count)
        decoder.feed(Data(deflater.deflate(message, flush: Z_SYNC_FLUSH)))
        var got: [UInt8] = []
        while let piece = try decoder.next() { got += piece }
        #expect(got == message, "\(wrapper), \(count) bytes")
      }
    }
  }

  @Test func `bytes that are fed early are decoded in order`() throws {
    let encoded = gzip(content)
    let decoder = ContentDecoder([.gzip])
    decoder.feed(Data(encoded[..<1000]))
    decoder.feed(Data(encoded[1000..<1001]))
    var got = Array(try #require(try decoder.next()))
    decoder.feed(Data(encoded[1001...]))
    decoder.finish()
    while let piece = try decoder.next() { got += piece }
    #expect(got == content)
  }
}
