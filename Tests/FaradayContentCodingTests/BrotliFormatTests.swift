import FoundationEssentials
import Testing

@testable import FaradayContentCoding

@Suite(.enabled(if: ContentCoding.available.contains(.brotli), "needs libbrotlidec"))
struct BrotliFormatTests {
  // "Hello, Faraday!" by the program brotli.
  private let encoded = Array(Data(base64Encoded: "CweASGVsbG8sIEZhcmFkYXkhAw==") ?? Data())
  private let content = Array("Hello, Faraday!".utf8)

  @Test func `a body decodes alike in any pieces`() {
    for piece in [1, 2, 5, .max] { #expect(Decoded(encoded, [.brotli], piece: piece) == Decoded(content)) }
    #expect(Decoded([], [.brotli]) == Decoded([]))
  }

  @Test(.enabled(if: brotli([]) != nil, "needs libbrotlienc"))
  func `a body longer than the pieces of the output decodes alike in any pieces`() throws {
    let content = text(300_000)
    let encoded = try #require(brotli(content))
    for piece in [1, 1000, .max] { #expect(Decoded(encoded, [.brotli], piece: piece) == Decoded(content)) }
  }

  @Test func `a body truncated at any byte is an error`() {
    for count in 1..<encoded.count {
      #expect(Decoded(Array(encoded.prefix(count)), [.brotli]).error == .truncated(.brotli), "\(count) bytes")
    }
  }

  @Test func `bytes after the end are an error`() {
    for piece in [1, .max] {
      #expect(Decoded(encoded + [0], [.brotli], piece: piece).error == .malformed(.brotli, "bytes follow its end"))
    }
  }

  @Test func `invalid brotli is an error, decoding always ends, and stacked codings decode`() {
    #expect(Decoded([0xFF, 0xFF, 0xFF], [.brotli]).error?.isMalformed == true)
    for index in encoded.indices {
      for bit in 0..<8 {
        var flipped = encoded
        flipped[index] ^= 1 << bit
        #expect(Decoded(flipped, [.brotli], limits: .init(size: 1 << 20)).bytes.count <= 1 << 20)
      }
    }
    #expect(Decoded(gzip(encoded), [.brotli, .gzip]) == Decoded(content))
  }
}
