import FaradayContentCoding
import FoundationEssentials
import Testing

@Suite struct ContentEncoderTests {
  private static let formats: [(ContentEncoder.Format, ContentCoding)] = [(.gzip, .gzip), (.deflate, .deflate)]

  private func encoded(
    _ content: [UInt8], _ format: ContentEncoder.Format, piece: Int = .max, flushes: Bool = false
  ) throws -> [[UInt8]] {
    let encoder = try ContentEncoder(format)
    var (rest, pieces) = (content[...], [[UInt8]]())
    while !rest.isEmpty {
      encoder.feed(Data(rest.prefix(piece)), flushes: flushes)
      rest = rest.dropFirst(piece)
      while let piece = encoder.next() { pieces.append(Array(piece)) }
    }
    encoder.finish()
    while let piece = encoder.next() { pieces.append(Array(piece)) }
    #expect(encoder.next() == nil)
    return pieces
  }

  @Test(arguments: formats.indices) func `content of any size is decoded unchanged, however it is fed`(index: Int) throws {
    let (format, coding) = Self.formats[index]
    var generator = SystemRandomNumberGenerator()
    let random = (0..<200_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    for content in [[], [1], text(1000), text(300_000), random, [UInt8](repeating: 0, count: 3_000_000)] {
      for (piece, flushes) in [(Int.max, false), (100_000, false), (5000, true)] {
        let pieces = try encoded(content, format, piece: piece, flushes: flushes)
        #expect(pieces.allSatisfy { (1...(64 << 10)).contains($0.count) })
        #expect(Decoded(pieces.flatMap { $0 }, [coding]) == Decoded(content))
      }
    }
  }

  @Test func `equal content has an equal encoding`() throws {
    let content = text(100_000)
    #expect(try encoded(content, .gzip) == encoded(content, .gzip))
    #expect(try encoded(content, .gzip).joined().count < 50_000)
  }

  @Test func `a flushed piece can be decoded before the next piece is fed`() throws {
    let encoder = try ContentEncoder(.gzip)
    let decoder = ContentDecoder([.gzip])
    for line in ["first\n", "second\n", "", "third\n"] {
      encoder.feed(Data(line.utf8), flushes: true)
      while let piece = encoder.next() { decoder.feed(piece) }
      #expect(try decoder.next().map { String(decoding: $0, as: UTF8.self) } ?? "" == line)
    }
  }

  @Test func `pieces without a flush are combined`() throws {
    let encoder = try ContentEncoder(.gzip)
    var count = 0
    for _ in 0..<1000 {
      encoder.feed(Data("line\n".utf8))
      while let piece = encoder.next() { count += piece.count }
    }
    // The header.
    #expect(count <= 10)
  }
}
