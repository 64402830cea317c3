import FaradayContentCoding
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct DecoderLimitsTests {
  @Test func `output is produced on request in pieces of 64 KiB, whatever was fed`() throws {
    var bomb = Data()
    for piece in Gzip.zeros(4 << 30) { bomb.append(contentsOf: piece) }
    let decoder = ContentDecoder([.gzip])
    decoder.feed(bomb)
    var produced = 0
    for _ in 0..<100 {
      let piece = try #require(try decoder.next())
      #expect(piece.count <= ContentDecoder.pieceSize)
      produced += piece.count
      // 258 zeros are two bits; the table of codes and what zlib looks ahead are the rest.
      #expect(decoder.consumed <= produced / 1032 + 100)
    }
    #expect(produced == 100 * ContentDecoder.pieceSize)
  }

  @Test func `output over the limit is an error before it is returned`() {
    let encoded = gzip(text(100_000))
    #expect(Decoded(encoded, [.gzip], limits: .init(size: 100_000)).error == nil)
    let over = Decoded(encoded, [.gzip], limits: .init(size: 99_999))
    #expect(over.error == .tooLarge(99_999))
    #expect(over.bytes.count <= 99_999)
  }

  @Test func `a ratio over the limit is an error above the minimum size only`() {
    let limits = ContentDecoder.Limits(ratio: 200, ratioFloor: 1 << 20)
    let short = Gzip.zeros(1 << 20).flatMap(\.self)
    #expect(Decoded(short, [.gzip], limits: limits).bytes.count == 1 << 20)
    let long = Gzip.zeros(1 << 20 | 1).flatMap(\.self)
    let over = Decoded(long, [.gzip], limits: limits)
    #expect(over.error == .tooDense(200))
    #expect(over.bytes.count <= 1 << 20)
  }

  @Test func `the ratio counts the bytes decoded so far and not the waiting ones`() {
    let encoded = Gzip.zeros(2 << 20).flatMap(\.self) + Gzip.stored([UInt8](repeating: 1, count: 1 << 20))
    let limits = ContentDecoder.Limits(ratio: 200, ratioFloor: 1 << 20)
    for piece in [1000, .max] { #expect(Decoded(encoded, [.gzip], piece: piece, limits: limits).error == .tooDense(200)) }
  }

  @Test func `every encoded byte is counted`() throws {
    let encoded = gzip(text(100_000)) + gzip([])
    for piece in [1, 100, .max] {
      let decoder = ContentDecoder([.gzip])
      var rest = encoded[...]
      while !rest.isEmpty {
        decoder.feed(Data(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
        while try decoder.next() != nil {}
      }
      #expect(decoder.consumed == encoded.count)
    }
  }

  #if os(Linux)
  @Test func `abandoned, failed and finished decoders free their memory`() throws {
    let whole = Data(Gzip.stored([UInt8](repeating: 65, count: 60_000)))
    var wrong = whole
    wrong[whole.count - 8] ^= 1
    let bodies = [whole.prefix(50_000), wrong, whole]
    let before = try residentBytes()
    for number in 0..<60_000 {
      let decoder = ContentDecoder([.gzip])
      decoder.feed(bodies[number % 3])
      if number % 3 == 2 { decoder.finish() }
      while (try? decoder.next()) != nil {}
    }
    // What zlib has in use would be some 850 MiB of all, and the buffers more.
    #expect(try residentBytes() - before < 400 << 20)
  }

  private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * 4096
  }
  #endif
}
