import FaradayTesting
import Foundation
import TestServers
import Testing

/// The executable with files and much data.
@Suite struct ProgramTransferTests {
  let server: LocalServer
  let folder: TemporaryFolder

  init() throws {
    server = try LocalServer()
    folder = try TemporaryFolder()
  }

  private struct Upload: Decodable, Equatable {
    let bytes: Int
    let framing: String

    init(bytes: Int, framing: String) { (self.bytes, self.framing) = (bytes, framing) }
    init(_ answer: Data) throws { self = try JSONDecoder().decode(Self.self, from: answer) }
  }

  @Test func `a large download is complete in its file`() async throws {
    let count = 20_000_000
    let outcome = try await Program.run("-o", folder.file("big"), server.url + "/bytes/\(count)")
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.error.isEmpty)
    let bytes = try #require(folder.read("big"))
    #expect(bytes.count == count)
    let samples = Array(stride(from: 0, to: count, by: 997)) + [count - 1]
    #expect(samples.allSatisfy { bytes[$0] == LocalServer.patternByte(at: $0) })
  }

  @Test func `an empty body creates an empty file and replaces an older one`() async throws {
    let old = try folder.write("old", to: "old")
    #expect(try await Program.run("-o", old, server.url + "/bytes/0").status == 0)
    #expect(folder.read("old") == Data())
  }

  @Test func `the remote name is the file name`() async throws {
    #expect(try await Program.run("-sO", server.url + "/bytes/7?x=/y", in: folder).status == 0)
    #expect(folder.read("7")?.count == 7)
  }

  @Test func `a file is uploaded with its length`() async throws {
    let path = try folder.write(Data(count: 5_000_000), to: "file")
    let outcome = try await Program.run("-T", path, server.url + "/upload", "-w", "")
    #expect(try Upload(outcome.output) == Upload(bytes: 5_000_000, framing: "length"))
    let seen = try Inspection(try await Program.run("-T", path, server.url + "/inspect").output)
    #expect(seen.method == "PUT")
  }

  @Test(arguments: [1 << 18, 1 << 20]) func `a file of whole chunks is uploaded to its end`(_ count: Int) async throws {
    let path = try folder.write(Data(count: count), to: "file")
    let outcome = try await Program.run("-sS", "-T", path, server.url + "/upload")
    #expect(outcome.error.isEmpty)
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("\"bytes\":\(count),"))
  }

  @Test func `an upload to a folder uses the file's name`() async throws {
    let path = try folder.write("x", to: "a b")
    let outcome = try await Program.run("-T", path, server.url, "-w", "%{url_effective}", "-o/dev/null")
    #expect(outcome.text == server.url + "/a%20b")
  }

  @Test func `standard input is uploaded in chunks`() async throws {
    let outcome = try await Program.run("-T", "-", server.url + "/upload", input: Data(count: 3_000_000))
    #expect(outcome.status == 0)
    #expect(try Upload(outcome.output) == Upload(bytes: 3_000_000, framing: "chunked"))
  }

  @Test func `the maximum time ends an upload without end`() async throws {
    // Its standard input stays open, and nothing comes.
    let program = try Program.start("-s", "-m", "0.3", "-T", "-", server.url + "/upload")
    #expect(await program.ended() == 28)
  }

  @Test func `each chunk is written when it arrives`() async throws {
    let outcome = try await Program.run("-N", server.url + "/drip?count=3&interval=1&size=40")
    #expect(outcome.output.count == 120)
    #expect(outcome.text.hasPrefix("0 "))
  }
}
