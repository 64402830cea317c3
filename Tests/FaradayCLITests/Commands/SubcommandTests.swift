import Faraday
import FaradayTesting
import Foundation
import TestServers
import Testing

@testable import FaradayCLI

@Suite struct SubcommandTests {
  @Test(arguments: [
    ["serve", "--port", "70000"], ["serve", "--port", "x"], ["demo", "--scale", "0"], ["demo", "--scale", "nan"],
    ["demo", "--server", "http://h"], ["demo", "--transport", "pigeon"],
  ])
  func `an invalid subcommand exits with 2`(_ arguments: [String]) async throws {
    #expect(try await Program.run(arguments).status == 2)
  }

  @Test func `a port in use exits with 7`() async throws {
    let other = try LocalServer()
    let outcome = try await Program.run("serve", "--port", "\(other.port)")
    #expect(outcome.status == 7)
    #expect(outcome.error.hasPrefix("faraday: (7) cannot listen on port \(other.port): "))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `the server prints its URL, logs, and ends on a signal`(_ signal: Int32) async throws {
    let program = try Program.start("serve")
    var lines = Lines(of: program)
    let url = try #require(await lines.next())
    #expect(try await Program.run("-sS", url + "/hello").text == "Hello, world!")
    while let line = await lines.next(), !line.contains("GET /hello") {}
    program.signal(signal)
    #expect(await program.ended() == 0)
  }

  @Test func `the demo counts every byte`() async throws {
    let outcome = try await Program.run("demo", "--scale", "0.01")
    #expect(outcome.status == 0)
    #expect(outcome.error.isEmpty)
    let parts = outcome.text.components(separatedBy: "\n== over ")
    #expect(parts.count == 3)
    for (part, adapter) in zip(parts.dropFirst(), ["CurlAdapter", "URLSessionAdapter"]) {
      for text in [adapter, "\"bodyText\"", "chunk 9 at", "5.1 MiB in", "2.6 MiB in"] {
        #expect(part.contains(text), "\(adapter): \(text)")
      }
    }
    // By its words: how wide a column is follows from how fast the machine was.
    let table = try #require(outcome.text.components(separatedBy: "\nstep ").last)
    let lines = Self.words(of: "step " + table)
    #expect(lines.first == "step bytes curl MiB/s urlsession MiB/s")
    for start in ["download 5368709 ", "upload 2684354 ", "peak memory ", "connections reused "] {
      #expect(lines.contains { $0.hasPrefix(start) }, "\(start)")
    }
    #expect(!table.contains("unsupported"))
  }

  /// The lines of a table, with one space between two words.
  private static func words(of table: String) -> [String] {
    table.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test func `the demo can use one adapter`() async throws {
    let outcome = try await Program.run("demo", "--scale", "0.01", "--transport", "curl")
    #expect(outcome.status == 0)
    #expect(!outcome.text.contains("URLSession"))
  }

  @Test func `a client without a server fails the demo`() async throws {
    let refused = try RefusedPort()
    let outcome = try await Program.run("demo", "--transport", "curl", "--server", "http://127.0.0.1:\(refused.port)")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("faraday: (1) "))
  }

  @Test func `an unsupported step is in the demo's table`() {
    let steps = [DemoStep(name: "a", bytes: 1 << 20, seconds: 0.5), DemoStep(name: "b", isUnsupported: true)]
    let run = DemoRun(transport: .curl, figures: DemoFigures(steps: steps, peakMemory: 1 << 20), connections: 1, requests: 3)
    let lines = Self.words(of: DemoRun.table([run, run]))
    #expect(lines[0] == "step bytes curl MiB/s curl MiB/s")
    #expect(lines[1] == "a 1048576 0.500 s 2.0 0.500 s 2.0")
    #expect(lines[2] == "b 0 unsupported - unsupported -")
    #expect(lines.suffix(3) == ["requests 3 3", "connections opened 1 1", "connections reused 2 2"])
  }

  @Test(arguments: ["", "\n", "x 1\n", "1\n", "1 y\n", "....\n"])
  func `a chunk without a timestamp is ignored`(_ text: String) {
    #expect(DripChunk(text, at: 0) == nil)
  }

  @Test func `the delay of a chunk is the time from sending to arrival`() throws {
    let chunk = try #require(DripChunk("3 1000000\n......", at: 3_500_000))
    #expect(chunk.text(after: .milliseconds(1200)) == "chunk 3 at 1.200 s, 2.500 ms after it was sent")
  }
}
