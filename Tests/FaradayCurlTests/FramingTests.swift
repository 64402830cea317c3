@testable import FaradayCurl
import Testing

/// What is made of a head's framing, whatever libcurl makes of it.
@Suite struct FramingTests {
  /// What is wrong with the fields; nil if nothing is.
  private func problem(_ lines: String...) -> String? {
    var framing = Framing()
    return lines.lazy.compactMap { line in Array((line + "\r\n").utf8).withUnsafeBytes { framing.read($0) } }.first
  }

  @Test func `a field may be folded, unless it is of the framing or none is before it`() {
    #expect(problem("X: y", " z", "\tz") == nil)
    #expect(problem(" z") != nil)
    #expect(problem("\tz") != nil)
    #expect(problem("Content-Length: 5", " 0") != nil)
    #expect(problem("transfer-encoding:", "\tchunked") != nil)
    #expect(problem("Content-Length: 5", "X: y", " z") == nil)
  }

  @Test func `a field of the framing has no carriage return and no NUL within`() {
    for text in ["chunked\rx", "gzip\r, chunked", "chunked\u{0}"] { #expect(problem("Transfer-Encoding: \(text)") != nil) }
    #expect(problem("Connection: close\rx") != nil)
    #expect(problem("X: a\rb") == nil)
    #expect(problem("Transfer-Encoding: \tchunked \r") == nil)
  }

  @Test func `a length is stated once, or always the same`() {
    #expect(problem("Content-Length: 5", "content-length:5 ") == nil)
    #expect(problem("Content-Length: 5, 5") == nil)
    for text in ["", "5, 6", "+5", "-5", "5 5", "0x5", "5,", "9223372036854775808"] {
      #expect(problem("Content-Length: \(text)") != nil, "\(text)")
    }
    #expect(problem("Content-Length: 5", "Content-Length: 6") != nil)
  }

  @Test func `chunked is the last transfer coding and is applied once`() {
    #expect(problem("Transfer-Encoding: gzip, chunked") == nil)
    for text in ["chunked, chunked", "chunked, gzip", "chunked, identity"] {
      #expect(problem("Transfer-Encoding: \(text)") != nil, "\(text)")
    }
    #expect(problem("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") != nil)
  }

  @Test func `chunked wins over a length`() {
    var framing = Framing()
    for line in ["Content-Length: 5\r\n", "Transfer-Encoding: Chunked\r\n"] {
      #expect(Array(line.utf8).withUnsafeBytes { framing.read($0) } == nil)
    }
    #expect(framing.isChunked && framing.length == nil && framing.chunks != nil)
  }
}
