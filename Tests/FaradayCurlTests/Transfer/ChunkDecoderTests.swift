@testable import FaradayCurl
import Testing

/// What the decoder makes of bytes, however they are cut. libcurl reads the same bytes and refuses some of these itself, so a
/// server's answer does not tell who did.
@Suite struct ChunkDecoderTests {
  private struct Outcome: Equatable {
    var data = ""
    var trailers: [String] = []
    var isMalformed = false
    var hasEnded = false
    var rest = ""
  }

  /// Gives the decoder so many bytes at a time, and takes the data as it comes.
  private func decode(_ text: String, piece size: Int) -> Outcome {
    var decoder = ChunkDecoder()
    var outcome = Outcome()
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count, !decoder.hasEnded, !outcome.isMalformed {
      let piece = Array(bytes[start..<min(start + size, bytes.count)])
      var offset = 0
      piece.withUnsafeBytes { piece in
        while true {
          switch decoder.next(in: piece, at: &offset) {
          case .data(let count):
            outcome.data += String(decoding: piece[offset..<offset + count], as: UTF8.self)
            decoder.take(count)
            offset += count
          case .trailer: outcome.trailers.append(String(decoding: decoder.line, as: UTF8.self))
          case .malformed, .tooLarge:
            outcome.isMalformed = true
            return
          case .dry, .end: return
          }
        }
      }
      start += offset
    }
    outcome.hasEnded = decoder.hasEnded
    outcome.rest = String(decoding: bytes[start...], as: UTF8.self)
    return outcome
  }

  @Test(arguments: [
    "5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "0005\r\nhello\r\n000\r\n\r\n",
    "5 \r\nhello\r\n0\t \r\n\r\n", "5;a=b;c\r\nhello\r\n0;d\r\n\r\n",
  ])
  func `a chunked body decodes to the content of its chunks`(text: String) {
    for size in 1...text.utf8.count {
      #expect(decode(text, piece: size) == Outcome(data: "hello", hasEnded: true), "in pieces of \(size)")
    }
  }

  @Test(arguments: [
    "\r\n", ";a\r\n", "x\r\n", "-1\r\n", "+5\r\nhello\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n", "5 5\r\nhello\r\n",
    "5x\r\nhello\r\n",
    "5\rXhello\r\n0\r\n\r\n", "5;a\rb\r\nhello\r\n", "8000000000000000\r\nhello", "10000000000000000\r\nhello", "5\r\nhello!\r\n",
    "5\r\nhello\rX",
    "0\r\n folded: y\r\n\r\n", "0\r\n: y\r\n\r\n", "0\r\nno field\r\n\r\n", "0\r\nX: y\r\nno field\r\n\r\n",
  ])
  func `a malformed chunk is an error`(text: String) {
    for size in 1...text.utf8.count {
      let outcome = decode(text, piece: size)
      #expect(outcome.isMalformed && !outcome.hasEnded, "in pieces of \(size): \(outcome)")
    }
  }

  @Test func `the largest chunk size is accepted`() {
    let outcome = decode("7fffffffffffffff\r\nhello", piece: 100)
    #expect(outcome == Outcome(data: "hello"))
  }

  @Test func `trailers are delivered line by line, and bytes after them are left unread`() {
    let text = "1\r\na\r\n0\r\nX: y\r\n z\r\nZ:\r\n\r\nHTTP/1.1"
    #expect(
      decode(text, piece: text.utf8.count)
        == Outcome(data: "a", trailers: ["X: y\r\n", " z\r\n", "Z:\r\n"], hasEnded: true, rest: "HTTP/1.1"))
  }

  @Test func `the size of trailers is limited`() {
    let name = "0\r\nX: "
    #expect(!decode(name + String(repeating: "y", count: 4_000), piece: 1000).isMalformed)
    #expect(decode(name + String(repeating: "y", count: 4_100), piece: 1000).isMalformed)
  }

  @Test func `a body that is truncated at any byte is incomplete`() {
    let text = "5\r\nhello\r\n0\r\nX: y\r\n\r\n"
    for count in 0..<text.utf8.count {
      let outcome = decode(String(decoding: text.utf8.prefix(count), as: UTF8.self), piece: 7)
      #expect(!outcome.hasEnded && !outcome.isMalformed, "after \(count) bytes")
    }
  }
}
