@_spi(Adapters) import Faraday
import FaradayCurl
import FaradayTesting
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct TransportTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  /// Options that an adapter can lack, and the capabilities that they need.
  static let options: [(arguments: [String], capability: Capabilities)] = [
    (["-k"], .unverifiedTLS), (["--insecure"], .unverifiedTLS), (["--cacert", "f"], .customCA), (["--http1.1"], .http1Only),
    (["--compressed"], .encodedBodies), (["--connect-timeout", "9"], .connectTimeout),
    (["--connect-timeout", "30"], .connectTimeout), (["-m", "9"], .totalTimeout),
  ]

  private static let lacking = options.filter { !Transport.urlsession.capabilities.contains($0.capability) }

  @Test(arguments: lacking.map(\.arguments))
  func `an option that the adapter lacks exits with 4 and one line naming both, and nothing is sent`(
    _ arguments: [String]
  ) async throws {
    let outcome = try await Program.run(["--transport", "urlsession"] + arguments + [server.url + "/hello"])
    #expect(outcome.status == 4)
    #expect(outcome.error.hasPrefix("faraday: (4) --"))
    #expect(outcome.error.contains("URLSessionAdapter"))
    #expect(outcome.error.filter { $0 == "\n" }.count == 1)
    #expect(server.connectionCount == 0)
  }

  @Test(.enabled(if: !Transport.curl.capabilities.contains(.http2PriorKnowledge), "with a libcurl before 8.4"))
  func `an option that this libcurl is too old for names the required version`() async throws {
    let outcome = try await Program.run("--http2-prior-knowledge", server.url)
    let version = CurlAdapter.libraryVersion.prefix { $0 != " " }
    #expect(outcome.status == 4)
    #expect(
      outcome.error
        == "faraday: (4) --http2-prior-knowledge is not supported by CurlAdapter: it has no http2PriorKnowledge, which needs libcurl "
        + "8.4 or newer with HTTP/2, and this is \(version)\n")
  }

  @Test func `a request that needs a missing capability exits with 4`() async throws {
    let outcome = try await Program.run("--transport", "urlsession", "-X", "GET", "-d", "a", server.url + "/echo")
    #expect(outcome.status == 4)
    #expect(outcome.error == "faraday: (4) URLSessionAdapter has no bodyOnGet\n")
  }

  @Test func `an unset limit needs no capability`() throws {
    #expect(try applied("h").timeouts.connect == .seconds(300))
    #expect(try applied("--transport", "urlsession", "h").timeouts == Timeouts(idle: nil))
    #expect(try applied("--transport", "urlsession", "--connect-timeout", "0", "h").timeouts == Timeouts(idle: nil))
  }

  private func applied(_ arguments: String...) throws -> Options {
    let session = try Session(try Fetch.reading(arguments, readsDefault: false).operation)
    return try Route(session, to: try Target("h")).transformed(
      Request(.get, "http://h/"), capabilities: session.settings.transport.capabilities
    ).options
  }

  @Test(arguments: Transport.allCases)
  func `a body is written to standard output and to a file`(_ transport: Transport) async throws {
    let folder = try TemporaryFolder()
    let words = ["--transport", transport.rawValue]
    #expect(try await Program.run(words + [server.url + "/hello"]).text == "Hello, world!")
    let outcome = try await Program.run(words + ["-o", folder.file("big"), server.url + "/bytes/3000000"])
    #expect(outcome.error.isEmpty)
    let bytes = try #require(folder.read("big"))
    #expect(bytes.count == 3_000_000)
    #expect(stride(from: 0, to: bytes.count, by: 997).allSatisfy { bytes[$0] == LocalServer.patternByte(at: $0) })
  }

  @Test(arguments: Transport.allCases)
  func `data, files and standard input are sent`(_ transport: Transport) async throws {
    let folder = try TemporaryFolder()
    let words = ["--transport", transport.rawValue]
    #expect(try await Program.run(words + ["-d", "a=1", server.url + "/echo"]).text == "a=1")
    let path = try folder.write(Data(count: 500_000), to: "file")
    let file = try await Program.run(words + ["-T", path, server.url + "/upload"])
    #expect(file.text.contains("\"bytes\":500000,"))
    let input = try await Program.run(words + ["-T", "-", server.url + "/upload"], input: Data(count: 700_000))
    #expect(input.text.contains("\"bytes\":700000,"))
    // URLSession knows the length by the time it sends.
    #expect(input.text.contains(transport == .curl ? "\"framing\":\"chunked\"" : "\"framing\":\"length\""))
  }

  @Test func `a version and a reason that the adapter does not report are left out`() async throws {
    let outcome = try await Program.run(
      "--transport", "urlsession", "-i", server.url + "/hello", "-w", "\n%{http_code} %{http_version}")
    #expect(outcome.text.hasPrefix("HTTP/? 200 \r\n"))
    #expect(outcome.text.hasSuffix("\r\n\r\nHello, world!\n200 0"))
  }

  @Test func `phases and connections that the adapter does not report are left out`() async throws {
    let outcome = try await Program.run("--transport", "urlsession", "--timing", server.url + "/hello")
    #expect(outcome.error.contains("total"))
    #expect(!outcome.error.contains("connect"))
  }

  @Test func `failures have the same exit status over both adapters`() async throws {
    let refused = try RefusedPort()
    for transport in Transport.allCases {
      let words = ["--transport", transport.rawValue]
      #expect(try await Program.run(words + ["http://127.0.0.1:\(refused.port)/"]).status == 7)
      #expect(try await Program.run(words + ["-f", server.url + "/status/404"]).status == 22)
      #expect(try await Program.run(words + ["-m", "0.2", server.url + "/stall"]).status == 28)
    }
  }
}
