@testable import FaradayCurl
import Testing

/// Checks the framing of a head independently of libcurl.
@Suite struct FramingTests {
  /// The error in the fields; nil if they are valid.
  private func problem(_ lines: String...) -> String? {
    var framing = Framing()
    return lines.lazy.compactMap { line in Array((line + "\r\n").utf8).withUnsafeBytes { framing.read($0) } }.first
  }

  @Test func `header fields can be folded, except framing fields and the first line`() {
    #expect(problem("X: y", " z", "\tz") == nil)
    #expect(problem(" z") != nil)
    #expect(problem("\tz") != nil)
    #expect(problem("Content-Length: 5", " 0") != nil)
    #expect(problem("transfer-encoding:", "\tchunked") != nil)
    #expect(problem("Content-Length: 5", "X: y", " z") == nil)
  }

  @Test func `a framing field cannot contain a carriage return or NUL`() {
    for text in ["chunked\rx", "gzip\r, chunked", "chunked\u{0}"] { #expect(problem("Transfer-Encoding: \(text)") != nil) }
    #expect(problem("Connection: close\rx") != nil)
    #expect(problem("X: a\rb") == nil)
    #expect(problem("Transfer-Encoding: \tchunked \r") == nil)
  }

  @Test func `conflicting Content-Length values are rejected`() {
    #expect(problem("Content-Length: 5", "content-length:5 ") == nil)
    #expect(problem("Content-Length: 5, 5") == nil)
    for text in ["", "5, 6", "+5", "-5", "5 5", "0x5", "5,", "9223372036854775808"] {
      #expect(problem("Content-Length: \(text)") != nil, "\(text)")
    }
    #expect(problem("Content-Length: 5", "Content-Length: 6") != nil)
  }

  @Test func `chunked must be the last transfer coding and occur once`() {
    #expect(problem("Transfer-Encoding: gzip, chunked") == nil)
    for text in ["chunked, chunked", "chunked, gzip", "chunked, identity"] {
      #expect(problem("Transfer-Encoding: \(text)") != nil, "\(text)")
    }
    #expect(problem("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") != nil)
  }

  @Test func `chunked takes precedence over Content-Length`() {
    var framing = Framing()
    for line in ["Content-Length: 5\r\n", "Transfer-Encoding: Chunked\r\n"] {
      #expect(Array(line.utf8).withUnsafeBytes { framing.read($0) } == nil)
    }
    #expect(framing.isChunked && framing.length == nil && framing.chunks != nil)
  }
}
