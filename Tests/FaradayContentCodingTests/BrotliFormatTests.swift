#if Brotli
import FaradayContentCoding
import FoundationEssentials
import Testing

@Suite struct BrotliFormatTests {
  // "Hello, Faraday!" by the program brotli.
  private let encoded = Array(Data(base64Encoded: "CweASGVsbG8sIEZhcmFkYXkhAw==") ?? Data())
  private let content = Array("Hello, Faraday!".utf8)

  @Test func `a body is the same in whatever pieces it comes`() {
    for piece in [1, 2, 5, .max] { #expect(Decoded(encoded, [.brotli], piece: piece) == Decoded(content)) }
    #expect(Decoded([], [.brotli]) == Decoded([]))
  }

  @Test func `what is cut is an error, at every byte`() {
    for count in 1..<encoded.count {
      #expect(Decoded(Array(encoded.prefix(count)), [.brotli]).error == .truncated(.brotli), "\(count) bytes")
    }
  }

  @Test func `bytes behind the end are an error`() {
    for piece in [1, .max] {
      #expect(Decoded(encoded + [0], [.brotli], piece: piece).error == .malformed(.brotli, "bytes follow its end"))
    }
  }

  @Test func `what is no brotli is an error, whatever bit is wrong it comes to an end, and stacks are undone`() {
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
#endif
