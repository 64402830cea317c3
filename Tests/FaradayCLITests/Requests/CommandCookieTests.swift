@_spi(Adapters) import Faraday
import FaradayTesting
import Foundation
import TestSupport
import Testing

@testable import FaradayCLI
import TestServers

@Suite struct CommandCookieTests {
  @Test func `cookies in any encoding are stored and sent back unchanged`() async throws {
    let folder = try TemporaryFolder()
    let pair = Array("a=".utf8) + [0xE9, 0xFF]
    let adapter = MockAdapter()
    adapter.stub { request in
      Response(status: .ok, headers: HTTPFields([HTTPField(name: .setCookie, lenientValue: pair)]), url: request.url)
    }
    /// The `Cookie` that a transfer of an operation sends.
    func sent(_ operation: FaradayCLI.Operation) async throws -> [UInt8]? {
      let session = try Session(operation)
      _ = try await Stack(session.middleware(for: try Target("h.example")), adapter: adapter).send(
        Request(.get, "http://h.example/"))
      #expect(session.writeFiles().isEmpty)
      return adapter.recorded.last?.request.headers[fields: .cookie].first?.withUnsafeBytesOfValue { Array($0) }
    }
    var operation = FaradayCLI.Operation()
    operation.cookies = [""]
    operation.cookieJar = folder.file("jar")
    #expect(try await sent(operation) == nil)
    #expect(folder.read("jar")?.firstRange(of: Data([0x09] + "a\t".utf8 + [0xE9, 0xFF, 0x0A])) != nil)
    operation.cookies = [folder.file("jar")]
    #expect(try await sent(operation) == pair)
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
