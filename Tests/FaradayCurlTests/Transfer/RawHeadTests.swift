@testable import FaradayCurl
@_spi(Adapters) import FaradayCore
import Testing

@Suite struct RawHeadTests {
  private func parse(_ text: String) -> (response: HTTPResponse, version: HTTPVersion) {
    var head = RawHead()
    Array(text.utf8).withUnsafeBytes { head.append($0) }
    return head.parsed()
  }

  @Test(arguments: ["", "\r\n", "HTTP/1.1\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 99999999999999999999\r\n", ":\r\n: x\r\n", "\0\0"])
  func `parsing never traps`(text: String) {
    #expect((0...999).contains(parse(text).response.status.code))
  }

  @Test func `a field with an invalid name is left out, and the others stay`() {
    let fields = parse("HTTP/1.1 200 OK\r\nGood: 1\r\nBad Name: 2\r\nno colon\r\n: empty\r\nAlso-Good:2\r\n").response
      .headerFields
    #expect(fields.map(\.name.rawName) == ["Good", "Also-Good"])
  }

  @Test func `repeated fields, bare line feeds, folded lines and blanks are parsed`() throws {
    let fields = parse("HTTP/1.1 200 OK\nSet-Cookie: a=1\nSet-Cookie: b=2\r\nX:  a \t \r\n  b\r\n\tc\r\nEmpty:\r\n").response
      .headerFields
    #expect(fields[values: .setCookie] == ["a=1", "b=2"])
    #expect(fields[try #require(HTTPField.Name("X"))] == "a b c")
    #expect(fields[try #require(HTTPField.Name("Empty"))] == "")
  }

  @Test func `bytes that are not UTF-8 are kept`() throws {
    var head = RawHead()
    (Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xE9, 0x0D, 0x0A]).withUnsafeBytes { head.append($0) }
    let field = try #require(head.parsed().response.headerFields.first)
    #expect(field.withUnsafeBytesOfValue { Array($0) } == [0xE9])
  }

  @Test(arguments: [
    ("HTTP/1.0 404 Not Found", 404, HTTPVersion.http1_0), ("HTTP/2 200 ", 200, .http2), ("HTTP/1.1 204", 204, .http1_1),
  ])
  func `status and version are parsed`(line: String, code: Int, version: HTTPVersion) {
    let parsed = parse(line + "\r\n")
    #expect(parsed.response.status.code == code)
    #expect(parsed.version == version)
  }

  @Test func `a value with very many folded lines is joined in one pass`() throws {
    let count = 10_000
    let fields = parse("HTTP/1.1 200 OK\r\nX: a\r\n" + String(repeating: " b\r\n", count: count)).response.headerFields
    let field = try #require(fields.first)
    #expect(fields.count == 1)
    #expect(field.withUnsafeBytesOfValue { $0.count } == 1 + 2 * count)
  }

  @Test func `the folded lines of a left-out field are left out too`() throws {
    let fields = parse("HTTP/1.1 200 OK\r\n stray\r\nGood: 1\r\nBad Name: 2\r\n smuggled: x\r\nno colon\r\n\tmore\r\nLast: 3\r\n")
      .response.headerFields
    #expect(fields.map { "\($0.name.rawName)=\($0.value)" } == ["Good=1", "Last=3"])
  }
}
