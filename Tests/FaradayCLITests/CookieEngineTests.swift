import Faraday
import FaradayTesting
import Foundation
import TestSupport
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

  @Test func `arguments of -b that are not UTF-8 are sent unchanged`() async throws {
    let requests = Log<[UInt8]>()
    let server = try RawServer { connection in
      var bytes: [UInt8] = []
      while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes += try connection.readSome(upTo: 1000) }
      requests.append(bytes)
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    defer { server.stop() }
    let script = #""$1" -s -b "$(printf 'a=\351\377')" "-b$(printf 'b=\303\251\350')" -b c=d "$2""#
    let program = try ChildProcess("/bin/sh", ["-c", script, "sh", try BuiltProduct.named("faraday").path, server.url])
    #expect(await program.ended() == 0)
    let cookies = Array("Cookie: a=".utf8) + [0xE9, 0xFF] + "; b=é".utf8 + [0xE8] + "; c=d\r\n".utf8
    #expect(requests.elements.first?.firstRange(of: cookies) != nil)
  }
}
