import FaradayContentCoding
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct StackedCodingTests {
  private let content = text(20_000)

  @Test func `the last coding is decoded first, in any pieces`() {
    let encoded = deflated(deflated(gzip(content), .none), .gzip)
    for piece in [1, 50, .max] {
      #expect(Decoded(encoded, [.gzip, .deflate, .gzip], piece: piece) == Decoded(content), "pieces of \(piece)")
    }
    #expect(Decoded(encoded, [.deflate, .gzip, .gzip]).error != nil)
  }

  @Test func `four codings decode, and five are an error at once`() {
    var encoded = content
    for _ in 0..<4 { encoded = gzip(encoded) }
    #expect(Decoded(encoded, .init(repeating: .gzip, count: 4)) == Decoded(content))
    #expect(Decoded(gzip(encoded), .init(repeating: .gzip, count: 5)) == Decoded([], .tooManyCodings(5)))
  }

  @Test func `without a coding the bytes are unchanged`() throws {
    #expect(Decoded(content, []) == Decoded(content))
  }

  @Test func `a body truncated at any byte of either coding is an error`() {
    let inner = gzip(text(200))
    let encoded = deflated(inner, .zlib)
    for count in 1..<encoded.count {
      #expect(Decoded(Array(encoded.prefix(count)), [.gzip, .deflate]).error == .truncated(.deflate), "\(count) bytes")
    }
    for count in 1..<inner.count {
      let cut = deflated(Array(inner.prefix(count)), .zlib)
      #expect(Decoded(cut, [.gzip, .deflate]).error == .truncated(.gzip), "\(count) bytes inside")
    }
  }

  @Test func `expansion between two codings counts even without final output`() {
    // A member with a name that does not end: its reader gives nothing.
    let endless = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 255] + [UInt8](repeating: 65, count: 8 << 20)
    let encoded = deflated(endless, .zlib)
    let limits = ContentDecoder.Limits(size: 1 << 30, ratio: 200, ratioFloor: 1 << 20)
    #expect(Decoded(encoded, [.gzip, .deflate], limits: limits) == Decoded([], .tooDense(200)))
    #expect(Decoded(encoded, [.gzip, .deflate], limits: .init(size: 2 << 20)) == Decoded([], .tooLarge(2 << 20)))
    #expect(Decoded(encoded, [.gzip, .deflate]) == Decoded([], .truncated(.gzip)))
  }
}
