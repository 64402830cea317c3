import Faraday
import FaradayTesting
import TestServers
import TestSupport
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The programs of Tests/Examples.
@Suite struct ExampleTests {
  private func run(_ program: String, _ arguments: String...) async throws -> (status: Int32, output: String) {
    try await run(program, arguments: arguments)
  }

  private func run(_ program: String, arguments: [String]) async throws -> (status: Int32, output: String) {
    let process = try ChildProcess(BuiltProduct.named(program).path, arguments)
    var output: [UInt8] = []
    while case let bytes = await process.next(), !bytes.isEmpty { output += bytes }
    return (await process.ended(), String(decoding: output, as: UTF8.self))
  }

  @Test func `the line reader reports an unreadable line`() async throws {
    let refused = try RefusedPort()
    #expect(try await run("example-ndjson").status == 2)
    #expect(try await run("example-ndjson", "http://127.0.0.1:\(refused.port)/").status == 1)
    let wrong = try MockServer(.text(#"{"level":"error","message":1}"# + "\n"))
    #expect(try await run("example-ndjson", wrong.url).status == 1)
    let missing = try MockServer(.status(.notFound))
    let (status, output) = try await run("example-ndjson", missing.url)
    #expect(status == 1 && output.contains("404"))
  }

  @Test func `the line reader reads all lines in any pieces`() async throws {
    let count = 100_000
    let line = Array((#"{"level":"info","message":"nothing of interest"}"# + "\n").utf8)
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
      try connection.send(Array(repeatElement(line, count: count).joined()))
      try connection.send(#"{"level":"error","message":"the last word"}"#)
      connection.close()
    }
    let (status, output) = try await run("example-ndjson", server.url)
    #expect(status == 0)
    #expect(output.hasPrefix("\(count + 1) lines, \(count * line.count + 44) bytes, 1 errors"))
    #expect(output.contains("last error: the last word"))
  }

  @Test(arguments: [[], ["--promise"]]) func `the upload shows its progress`(options: [String]) async throws {
    let server = try LocalServer()
    let file = try TemporaryFile(Data(repeating: 0x61, count: 3 << 20))
    let (status, output) = try await run("example-upload", arguments: options + [file.path, server.url + "/upload"])
    #expect(status == 0)
    #expect(output.contains(#""bytes":3145728"#))
    // One figure after the other, to the end.
    let figures = output.split(separator: "\r").filter { $0.contains("%") }
    #expect(figures.count > 2)
    #expect(figures.last?.contains("3145728 bytes, 100 %") == true)
    let (failed, message) = try await run("example-upload", arguments: options + [file.path, server.url + "/status/500"])
    #expect(failed == 1 && message.contains("500"))
    #expect(try await run("example-upload", arguments: options + ["/nowhere", server.url]).status == 1)
  }
}
