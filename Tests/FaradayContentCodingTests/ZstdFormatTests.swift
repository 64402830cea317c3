import FoundationEssentials
import Testing

@testable import FaradayContentCoding

@Suite(.enabled(if: ContentCoding.available.contains(.zstd), "needs libzstd"))
struct ZstdFormatTests {
  // "Hello, Faraday!" by the program zstd, with its checksum.
  private let encoded = Array(Data(base64Encoded: "KLUv/QRYeQAASGVsbG8sIEZhcmFkYXkhUrsxRQ==") ?? Data())
  private let content = Array("Hello, Faraday!".utf8)

  @Test func `a body decodes alike in any pieces`() {
    for piece in [1, 2, 5, .max] { #expect(Decoded(encoded, [.zstd], piece: piece) == Decoded(content)) }
    #expect(Decoded([], [.zstd]) == Decoded([]))
  }

  @Test func `a body longer than the pieces of the output decodes alike in any pieces`() throws {
    let content = text(300_000)
    let encoded = try #require(zstd(content))
    for piece in [1, 1000, .max] { #expect(Decoded(encoded, [.zstd], piece: piece) == Decoded(content)) }
    let zeros = [UInt8](repeating: 0, count: 3 * ContentDecoder.pieceSize)
    let encodedZeros = try #require(zstd(zeros))
    for piece in [1, .max] { #expect(Decoded(encodedZeros, [.zstd], piece: piece) == Decoded(zeros)) }
  }

  @Test func `several frames are one body, and skippable frames have no content`() {
    let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let whole = skippable + encoded + skippable + frame(Array("more".utf8)) + skippable
    for piece in [1, 2, 7, .max] {
      #expect(Decoded(whole, [.zstd], piece: piece) == Decoded(content + Array("more".utf8)))
      #expect(Decoded(Array(whole.dropLast()), [.zstd], piece: piece).error == .truncated(.zstd))
      #expect(Decoded(skippable, [.zstd], piece: piece) == Decoded([]))
    }
  }

  @Test func `a body truncated at any byte is an error`() {
    for count in 1..<encoded.count {
      #expect(Decoded(Array(encoded.prefix(count)), [.zstd]).error == .truncated(.zstd), "\(count) bytes")
    }
  }

  @Test func `any flipped bit of a body with a checksum causes an error or the correct body`() {
    for index in encoded.indices {
      for bit in 0..<8 {
        var flipped = encoded
        flipped[index] ^= 1 << bit
        let decoded = Decoded(flipped, [.zstd], limits: .init(size: 1 << 20))
        #expect(decoded.error != nil || decoded.bytes == content, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func `bytes after the end are an error`() {
    for bytes: [UInt8] in [[0], [0x28], [0x28, 0xB5, 0x2F, 0xFE], Array("more".utf8)] {
      for piece in [1, .max] {
        let decoded = Decoded(encoded + bytes, [.zstd], piece: piece)
        #expect(decoded.error == .truncated(.zstd) || decoded.error?.isMalformed == true, "\(bytes)")
      }
    }
  }

  @Test func `frames of the formats before 1.0 are an error`() {
    let emptyFrame: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]
    for version: UInt8 in 0x22...0x27 {
      let magic: [UInt8] = [version, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0]
      // libzstd looks for such a frame at the start of a piece, also if earlier bytes begin another frame. The third one has a
      // header with an impossible window, and the old frame begins the second piece.
      let all = [magic, [0x28] + magic, emptyFrame + [0x28, 0xB5, 0x2F, 0xFD, 0xC0, 0xFF] + magic]
      for bytes in all {
        let decoded = Decoded(bytes, [.zstd], piece: 1)
        #expect(decoded.error?.isMalformed == true, "\(bytes)")
        for piece in [14, .max] { #expect(Decoded(bytes, [.zstd], piece: piece) == decoded, "\(bytes)") }
      }
    }
  }

  @Test(arguments: [1, Int.max]) func `a window of more than 8 MiB is an error`(piece: Int) {
    let content = text(300)
    #expect(Decoded(frame(content, window: 0x68), [.zstd], piece: piece) == Decoded(content))
    #expect(Decoded(frame(content, window: 0x69), [.zstd], piece: piece).error?.isMalformed == true)
    // libzstd does not check the window of a frame with a known length that it decodes in one step.
    #expect(Decoded(frame(content, window: 0x69, hasLength: true), [.zstd], piece: piece).error?.isMalformed == true)
  }

  @Test func `the limits of size and ratio apply`() throws {
    let zeros = try #require(zstd([UInt8](repeating: 0, count: 5_000_000)))
    #expect(Decoded(zeros, [.zstd], limits: .init(size: 1_000_000)).error == .tooLarge(1_000_000))
    #expect(Decoded(zeros, [.zstd], limits: .init(ratio: 200)).error == .tooDense(200))
  }

  @Test func `many empty pieces and stacked codings decode`() throws {
    let decoder = ContentDecoder([.zstd, .gzip])
    var decoded = Data()
    for byte in gzip(encoded) {
      for piece in Array(repeating: Data(), count: 50) + [Data([byte])] {
        decoder.feed(piece)
        while let next = try decoder.next() { decoded += next }
      }
    }
    decoder.finish()
    #expect(try decoder.next() == nil)
    #expect(decoded == Data(content))
  }
}

/// A frame with one uncompressed block. `window` is its Window_Descriptor (RFC 8878, section 3.1.1.1.2): 0x68 is 8 MiB.
private func frame(_ content: [UInt8], window: UInt8 = 0x50, hasLength: Bool = false) -> [UInt8] {
  let length =
    hasLength ? [UInt8(truncatingIfNeeded: content.count - 256), UInt8(truncatingIfNeeded: (content.count - 256) >> 8)] : []
  let block = content.count << 3 | 1
  let blockHeader = [0, 8, 16].map { UInt8(truncatingIfNeeded: block >> $0) }
  return [0x28, 0xB5, 0x2F, 0xFD, hasLength ? 0x40 : 0, window] + length + blockHeader + content
}
