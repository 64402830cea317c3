import FaradayTesting
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct SubcommandTests {
  @Test(arguments: [
    ["serve", "--port", "70000"], ["serve", "--port", "x"], ["demo", "--scale", "0"], ["demo", "--scale", "nan"],
  ])
  func `a subcommand that makes no sense exits with 2`(_ arguments: [String]) async throws {
    #expect(try await Program.run(arguments).status == 2)
  }

  @Test func `a port that is taken exits with 7`() async throws {
    let other = try LocalServer()
    let outcome = try await Program.run("serve", "--port", "\(other.port)")
    #expect(outcome.status == 7)
    #expect(outcome.error.hasPrefix("faraday: (7) cannot serve on port \(other.port): "))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `the server says where it is, logs, and ends well on a signal`(_ signal: Int32) async throws {
    let program = try Program.start("serve")
    var lines = Lines(of: program)
    let url = try #require(await lines.next())
    #expect(try await Program.run("-sS", url + "/hello").text == "Hello, world!")
    while let line = await lines.next(), !line.contains("GET /hello") {}
    program.signal(signal)
    #expect(await program.ended() == 0)
  }

  @Test func `the demonstration counts every byte`() async throws {
    let outcome = try await Program.run("demo", "--scale", "0.01")
    #expect(outcome.status == 0)
    #expect(outcome.error.isEmpty)
    for text in [
      "\"bodyText\"", "chunk 9 at", "download         5368709", "upload           2684354", "peak memory", "by 3 of 4",
    ] {
      #expect(outcome.text.contains(text), "\(text)")
    }
  }

  @Test(arguments: ["", "\n", "x 1\n", "1\n", "1 y\n", "....\n"])
  func `a chunk that does not say when it was sent is none`(_ text: String) {
    #expect(DripChunk(text, at: 0) == nil)
  }

  @Test func `a chunk's delay is from its sending to its arrival`() throws {
    let chunk = try #require(DripChunk("3 1000000\n......", at: 3_500_000))
    #expect(chunk.text(after: .milliseconds(1200)) == "chunk 3 at 1.200 s, 2.500 ms after it was sent")
  }

  @Test func `JSON is shown with sorted names, and what is none is an error`() throws {
    #expect(throws: (any Error).self) { try JSONText(Data("{".utf8)) }
    let json = try JSONText(Data(#"{"b":[1,2.5,true,null,"x/y"],"a":{}}"#.utf8))
    #expect(json == .object(["b": .array([.integer(1), .number(2.5), .bool(true), .null, .text("x/y")]), "a": .object([:])]))
    #expect(json.contains("/y"))
    #expect(try json.pretty.contains("\"x/y\""))
  }
}
