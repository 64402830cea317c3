import Faraday
import FaradayTesting
import TestSupport
import Foundation
import Testing

@testable import FaradayCLI
import TestServers

@Suite struct ConfigFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func state(_ text: String, _ arguments: String...) throws -> CommandState {
    let path = try folder.write(text, to: "config")
    return try Fetch.reading(["-K", path] + arguments, readsDefault: false)
  }

  @Test func `a line with an odd line end is read, and a line without an option is a warning`() throws {
    let read = try state("silent\r\r\nuser = \"a:b\"\r\r\nuser-agent = x\u{B}y\n")
    #expect(read.global.silent && read.operation.user == "a:b" && read.operation.agent == "x" && read.warnings.isEmpty)
    #expect(try state(" = x\n  # a comment\n\n").warnings.count == 1)
  }

  @Test func `a line with bytes that are not UTF-8 is a warning`() throws {
    // The first byte is replaced by U+FFFD, which forms one character with the accent behind it.
    for bytes in [[0xE9], [0xE9, 0xCC, 0x81]] as [[UInt8]] {
      let path = folder.file("latin1")
      try (Data("user = \"a:".utf8) + bytes + Data("\"\nsilent\n".utf8)).write(to: URL(filePath: path))
      let read = try Fetch.reading(["-K", path], readsDefault: false)
      #expect(read.operation.user == nil && read.global.silent && read.warnings.count == 1)
    }
  }

  @Test func `options can omit dashes, and values follow a space, an equals sign or a colon`() throws {
    let state = try state(
      """
      # a comment
      url = "http://h/a b"
      -X PUT
      user-agent: "a \\"b\\"\\t\\\\"
      silent
        --data=1
      -H "A: b"
      max-redirs=3
      """)
    #expect(state.operation.targets.map(\.url) == ["http://h/a b"])
    #expect(state.operation.method == "PUT")
    #expect(state.operation.agent == "a \"b\"\t\\")
    #expect(state.operation.headers == ["A: b"])
    #expect(state.operation.maxRedirects == 3)
    #expect(state.global.silent)
    // As in curl, dashes want a space.
    #expect(state.operation.data.isEmpty && state.warnings.count == 1)
  }

  @Test func `an invalid line is a warning with its number, and the others count`() throws {
    let state = try state("nonsense\nfail\nmax-time = x\n", "h")
    #expect(state.operation.fails)
    #expect(state.warnings.count == 2)
    #expect(state.warnings[0].hasSuffix("config:1: warning: option --nonsense: is unknown"))
    #expect(state.warnings[1].contains(":3: "))
  }

  @Test func `lines can end with CR and LF`() throws {
    let state = try state("url = h\r\nuser-agent = a\r\n-d x\r\n")
    #expect(state.operation.targets.map(\.url) == ["h"])
    #expect(state.operation.agent == "a" && !state.operation.data.isEmpty && state.warnings.isEmpty)
  }

  @Test func `a file that includes itself ends`() throws {
    let path = folder.file("config")
    let state = try state("config = \"\(path)\"\nfail\n", "h")
    #expect(state.operation.fails && state.warnings.count == 1)
  }

  @Test func `a missing file exits with 26`() async throws {
    let outcome = try await Program.run("-K", "/nonexistent/x", "h")
    #expect(outcome.status == 26)
    #expect(outcome.error.hasPrefix("faraday: cannot read config from '/nonexistent/x'\n"))
  }

  @Test func `the default file is read unless the first argument disables it`() async throws {
    let server = try LocalServer()
    let script =
      "own=$(mktemp -d); echo 'user-agent = mine' >$own/.curlrc; unset CURL_HOME XDG_CONFIG_HOME; export HOME=$own; \"$@\""
    for (arguments, agent) in [
      ([], "mine"), (["-q"], Connection.standardUserAgent), (["-qs"], Connection.standardUserAgent), (["-s", "-q"], "mine"),
    ] {
      let program = try ChildProcess(
        "/bin/sh", ["-c", script, "sh", try BuiltProduct.named("faraday").path] + arguments + [server.url + "/inspect"])
      var output: [UInt8] = []
      while case let piece = await program.next(), !piece.isEmpty { output += piece }
      #expect(try Inspection(Data(output))["user-agent"] == [agent], "\(arguments)")
      #expect(await program.ended() == 0)
    }
  }
}
