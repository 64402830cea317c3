import FaradayCoding
import FaradayCore
import FoundationEssentials
import Testing

@Suite struct ResponseTextTests {
  private func response(_ bytes: [UInt8], _ type: String?) throws -> Response {
    var response = Response(status: .ok, body: .data(Data(bytes)), url: try #require(URL(string: "http://host/")))
    response.headers[.contentType] = type
    return response
  }

  @Test(arguments: ["koi8-r", "utf-7", "", "x y", "ISO-8859-15", "utf-32"])
  func `text in an unknown charset is an error with its name`(charset: String) async throws {
    let response = try response([0x61], "text/plain; charset=\"\(charset)\"")
    let error = await #expect(throws: BodyError.self) { try await response.text() }
    #expect(error == BodyError(.undecodableText(charset: charset)))
    #expect(error.map { "\($0)" } == "the body cannot be decoded as text with the charset \"\(charset)\"")
  }

  @Test func `an error has the beginning of a long charset name`() async throws {
    let response = try response([0x61], "text/plain; charset=\(String(repeating: "x", count: 10_000))")
    let expected = BodyError(.undecodableText(charset: String(repeating: "x", count: 64)))
    #expect(await #expect(throws: BodyError.self) { try await response.text() } == expected)
  }

  @Test(
    arguments: [
      ([0x47, 0x72, 0xFC, 0xDF, 0x65, 0x93], "iso-8859-1", "Grüße\u{93}"), ([0xFC], "Latin1", "ü"),
      ([0x80, 0x93, 0xFC, 0x94, 0x81, 0x9F, 0xA0], "windows-1252", "€“ü”\u{81}Ÿ\u{A0}"), ([0x80], "CP1252", "€"),
      ([0x00, 0x61, 0x20, 0xAC, 0xD8, 0x3D, 0xDE, 0x00], "utf-16be", "a€😀"),
      ([0x61, 0x00, 0xAC, 0x20, 0x3D, 0xD8, 0x00, 0xDE], "UTF-16LE", "a€😀"), ([0x00, 0x61], "utf-16", "a"),
      ([0xFE, 0xFF, 0x00, 0x61], "utf-16", "a"), ([0xFF, 0xFE, 0x61, 0x00], "utf-16", "a"), ([0xC3, 0xBC], "utf-8", "ü"),
      ([0xC3, 0xBC], "US-ASCII", "ü"), ([0x61], "us-ascii", "a"),
    ] as [([UInt8], String, String)])
  func `text is decoded in its charset`(bytes: [UInt8], charset: String, text: String) async throws {
    #expect(try await response(bytes, "text/plain; charset=\(charset)").text() == text)
    #expect(try await response(bytes, "Text/HTML; a=b; Charset=\"\(charset)\"").text() == text)
  }

  @Test func `a byte order mark overrides the charset and is removed`() async throws {
    #expect(try await response([0xFF, 0xFE, 0x61, 0x00], "text/plain; charset=iso-8859-1").text() == "a")
    #expect(try await response([0xFE, 0xFF, 0x00, 0x61], nil).text() == "a")
    #expect(try await response([0xEF, 0xBB, 0xBF, 0x61], "text/plain; charset=none-such").text() == "a")
  }

  @Test func `text without a charset is UTF-8`() async throws {
    for type in [nil, "text/plain", "nonsense", "text/plain; charset"] {
      #expect(try await response([0xC3, 0xBC], type).text() == "ü")
    }
  }

  @Test(
    arguments: [
      ([0x61, 0xFC], "utf-8", "a\u{FFFD}"), ([0x61, 0xFC], "us-ascii", "a\u{FFFD}"),
      ([0x00, 0x61, 0x00], "utf-16be", "a\u{FFFD}"),
      ([0x61, 0x00, 0x3D, 0xD8], "utf-16le", "a\u{FFFD}"),
    ] as [([UInt8], String, String)])
  func `invalid bytes become replacement characters`(bytes: [UInt8], charset: String, text: String) async throws {
    #expect(try await response(bytes, "text/plain; charset=\(charset)").text() == text)
  }

  @Test func `every byte of ISO-8859-1 and of windows-1252 is a character`() async throws {
    let bytes = (0...0xFF).map(UInt8.init)
    let latin1 = try await response(bytes, "text/plain; charset=iso-8859-1").text()
    #expect(latin1.unicodeScalars.map(\.value) == bytes.map(UInt32.init))
    let windows = try await response(bytes, "text/plain; charset=windows-1252").text()
    #expect(windows.unicodeScalars.count == 256 && Set(windows.unicodeScalars).count == 256)
    #expect(zip(windows.unicodeScalars, 0...).filter { $0.value != $1 }.map { $1 }.allSatisfy { (0x80...0x9F).contains($0) })
  }

  @Test func `text over the limit is an error`() async throws {
    let response = try response([0x61, 0x61], nil)
    await #expect(throws: BodyError(.tooLarge(limit: 1))) { try await response.text(upTo: 1) }
  }
}
