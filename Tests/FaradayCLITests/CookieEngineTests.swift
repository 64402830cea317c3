import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct CookieEngineTests {
  @Test func `cookies in any encoding are sent back, written and read as they came`() throws {
    let folder = try TemporaryFolder()
    var operation = FaradayCLI.Operation()
    operation.cookies = [""]
    operation.cookieJar = folder.file("jar")
    let url = try #require(URL(string: "http://h.example/"))
    let pair = Array("a=".utf8) + [0xE9, 0xFF]
    let engine = CookieEngine(operation)
    engine.receive(Response(status: .ok, headers: HTTPFields([HTTPField(name: .setCookie, lenientValue: pair)]), url: url))
    #expect(engine.header(for: url) == pair)
    try engine.write()
    #expect(folder.read("jar")?.firstRange(of: Data([0x09] + "a\t".utf8 + [0xE9, 0xFF, 0x0A])) != nil)
    operation.cookies = [folder.file("jar")]
    #expect(CookieEngine(operation).header(for: url) == pair)
  }
}
