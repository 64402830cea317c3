import FaradayTesting
import Foundation
import Testing

@testable import FaradayCLI

/// Options of the executable that need more than one transfer, or files.
@Suite struct ProgramOptionTests {
  let server: LocalServer
  let folder: TemporaryFolder

  init() throws {
    server = try LocalServer()
    folder = try TemporaryFolder()
  }

  @Test func `URL patterns are expanded, and their values name the files`() async throws {
    let outcome = try await Program.run(
      "-s", server.url + "/bytes/[1-3]", "-o", "b#1", "--output-dir", folder.file("d"), "--create-dirs")
    #expect(outcome.status == 0)
    for number in 1...3 { #expect(folder.read("d/b\(number)")?.count == number) }
  }

  @Test func `parallel transfers have separate files, and any failure is the exit status`() async throws {
    let outcome = try await Program.run(
      "-sfZ", "--parallel-max", "3", server.url + "/bytes/[1-9]", "-o", "b#1", "--output-dir", folder.path, "--next", "-f",
      server.url + "/status/404")
    #expect(outcome.status == 22)
    for number in 1...9 { #expect(folder.read("b\(number)")?.count == number) }
  }

  @Test func `transfers of several operations run concurrently, and have progress lines if files take the bodies`() async throws {
    let (first, second) = (Gate(), Gate())
    // Each is answered when the other has come.
    let meeting = try RawServer { connection in
      let isFirst = try connection.readHead().hasPrefix("GET /1 ")
      (isFirst ? first : second).open()
      let hasMet = (isFirst ? second : first).wait()
      try connection.send("HTTP/1.1 \(hasMet ? 200 : 500) Met\r\nContent-Length: 2\r\n\r\nok")
    }
    defer { meeting.stop() }
    let outcome = try await Program.run(
      "-sfZ", meeting.url + "/1", "-o", "1", "--next", "-f", meeting.url + "/2", "-o", "2", "--output-dir", folder.path)
    #expect(outcome.status == 0, "\(outcome.error)")
    func writesToOutput(_ arguments: String...) throws -> Bool {
      try Fetch.reading(["-Z"] + arguments, readsDefault: false).operations.contains { $0.writesToOutput }
    }
    #expect(try !writesToOutput("-o", "a", "h", "-O", "i", "--next", "--remote-name-all", "j"))
    #expect(try writesToOutput("-o", "a", "h", "i"))
    #expect(try writesToOutput("-o", "-", "h"))
    #expect(try writesToOutput("-o", "a", "h", "--next", "i"))
  }

  @Test func `with --fail-early the first failure is the last transfer`() async throws {
    let outcome = try await Program.run("-sf", "--fail-early", server.url + "/status/404", server.url + "/hello")
    #expect(outcome.status == 22 && outcome.output.isEmpty)
    #expect(try await Program.run("-sf", server.url + "/status/404", server.url + "/hello").status == 0)
  }

  @Test func `an AWS signature uses the user as its key and replaces Basic`() async throws {
    let outcome = try await Program.run("--aws-sigv4", "aws:amz:eu-central-1:es", "-u", "key:secret", server.url + "/inspect")
    let seen = try Inspection(outcome.output)
    let authorization = try #require(seen["authorization"].first)
    #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=key/"))
    #expect(seen["authorization"].count == 1 && seen["x-amz-date"].count == 1)
  }

  @Test func `netrc supplies the host's user`() async throws {
    let path = try folder.write("machine 127.0.0.1 login joe password pw\n", to: "netrc")
    let url = server.url + "/basic-auth/joe/pw"
    #expect(try await Program.run("-f", "--netrc-file", path, url).status == 0)
    #expect(try await Program.run("-f", url).status == 22)
    #expect(try await Program.run("-f", "--netrc-file", path, "-u", "joe:other", url).status == 22)
  }

  @Test func `another family of addresses is tried after so many milliseconds`() async throws {
    // The version of libcurl decides which family is first.
    var first = Loopback.ipv4
    for address in [Loopback.ipv4, .ipv6] {
      let (server, silent) = try FullListener.beside(serverOn: address)
      defer { server.stop() }
      let outcome = try await Program.run(["-v", "--happy-eyeballs-timeout-ms", "1"] + twoFamilies(server.port))
      #expect(outcome.status == 0)
      first = try #require(outcome.error.firstMatch(of: /Trying (\[::1\]|127\.0\.0\.1)/)).1 == "[::1]" ? .ipv6 : .ipv4
      withExtendedLifetime(silent) {}
    }
    let (server, silent) = try FullListener.beside(serverOn: first == .ipv4 ? .ipv6 : .ipv4)
    defer { server.stop() }
    let late = ["--happy-eyeballs-timeout-ms", "3600000", "--connect-timeout", "0.6"]
    #expect(try await Program.run(late + twoFamilies(server.port)).status == 28)
    #expect(server.connectionCount == 0)
    withExtendedLifetime(silent) {}
  }

  private func twoFamilies(_ port: Int) -> [String] {
    ["--resolve", "two-families.test:\(port):127.0.0.1,[::1]", "http://two-families.test:\(port)/"]
  }

  @Test func `warnings are wrapped, and --silent hides them`() async throws {
    let outcome = try await Program.run("-r", "5", server.url + "/bytes/9")
    #expect(
      outcome.error.hasPrefix("Warning: A specified range MUST include at least one dash (-). Appending one for you!\n"))
    #expect(try await Program.run("-sr", "5", server.url + "/bytes/9").error.isEmpty)
  }
}
