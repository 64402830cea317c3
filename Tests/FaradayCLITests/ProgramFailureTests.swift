import Faraday
import FaradayTesting
import Foundation
import TestServers
import TestSupport
import Testing

/// The executable when something is wrong.
@Suite struct ProgramFailureTests {
  let server: LocalServer
  let folder: TemporaryFolder

  init() throws {
    server = try LocalServer()
    folder = try TemporaryFolder()
  }

  @Test(arguments: ["http://u:sekret@127.0.0.1:99999", "foo://u:sekret@h", "u:sekret@h:99999"])
  func `an invalid proxy is shown without its password`(proxy: String) async throws {
    let outcome = try await Program.run("-sS", "-x", proxy, "http://127.0.0.1:9/")
    #expect([5, 7].contains(outcome.status) && !outcome.error.contains("sekret"), "\(outcome.error)")
  }

  @Test(arguments: [
    (["--bogus", "http://127.0.0.1/"], "option --bogus: is unknown"), ([], "no URL specified!"),
    (["-X"], "option -X: requires parameter"), (["-http"], "option -ht: not supported; faraday speaks HTTP only; use telnet"),
    (["--transport", "pigeon", "http://127.0.0.1/"], "option --transport: is neither curl nor urlsession"),
    (["--ftp-pasv", "http://127.0.0.1/"], "option --ftp-pasv: not supported; faraday speaks HTTP only; use curl for FTP"),
    (["--user=joe:hidden", "http://127.0.0.1/"], "option --user: is unknown"),
  ])
  func `an invalid command line exits with 2 and curl's lines`(_ arguments: [String], _ message: String) async throws {
    let outcome = try await Program.run(arguments)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.error == "faraday: \(message)\nfaraday: try 'faraday --help' for more information\n")
  }

  @Test func `an invalid interface and invalid ciphers have curl's exit statuses`() async throws {
    let secure = server.url.replacing("http:", with: "https:")
    #expect(try await Program.run("-sS", "--interface", "nosuch0", server.url).status == 45)
    #expect(try await Program.run("-sS", "--ciphers", "nonsense", secure).status == 59)
  }

  @Test func `--http2 uses HTTP/1 without TLS, because that upgrade is obsolete`() async throws {
    let outcome = try await Program.run("-sS", "--http2", "-w", "%{http_version}", "-o", "/dev/null", server.url)
    #expect(outcome.status == 0 && outcome.text == "1.1", "\(outcome.error)")
  }

  @Test func `an invalid header exits with 2`() async throws {
    #expect(try await Program.run("-H", "no header", "http://127.0.0.1/").status == 2)
  }

  @Test func `a line break in a header exits with 2, and nothing is sent`() async throws {
    let outcome = try await Program.run("-H", "A: b\r\nEvil: c", server.url)
    #expect(outcome.status == 2)
    #expect(outcome.error == "faraday: (2) header A: the value contains CR, LF or NUL\n")
    #expect(server.connectionCount == 0)
  }

  /// Runs a shell command in which `faraday` is the program. Returns its exit status and its output.
  private func shell(_ command: String) async throws -> (status: Int32, text: String) {
    let path = try BuiltProduct.named("faraday").path
    let script = "exec >\(folder.file("all")) 2>&1; faraday() { '\(path)' -q \"$@\"; }; \(command)"
    let status = await (try ChildProcess("/bin/sh", ["-c", script])).ended()
    return (status, String(decoding: folder.read("all") ?? Data(), as: UTF8.self))
  }

  @Test(arguments: ["-T -", "-d @-", "-F a=@-"])
  func `a closed or unreadable standard input is reported in words`(_ option: String) async throws {
    let closed = try await shell("faraday -sS \(option) \(server.url)/echo <&-")
    #expect(closed.status == 26 && closed.text == "faraday: (26) cannot read -: Bad file descriptor\n", "\(closed.text)")
    #if os(Linux)
    // Its first page is not there.
    let broken = try await shell("faraday -sS \(option) \(server.url)/echo </proc/self/mem")
    #expect(broken.status == 26 && broken.text == "faraday: (26) cannot read -: Input/output error\n", "\(broken.text)")
    #endif
  }

  #if os(Linux)
  @Test func `a file or socket never gets the number of a closed standard stream`() async throws {
    let outcome = try await shell("faraday -sS -d @/proc/self/fd/0 -o \(folder.file("out")) \(server.url)/echo <&- >&-")
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(try await shell("faraday -s \(server.url)/hello >&-").status == 23)
  }
  #endif

  @Test func `a body from a pipe is not sent again, because it would be empty`() async throws {
    let recorder = try RecordingServer()
    defer { recorder.stop() }
    let url = "http://127.0.0.1:\(recorder.port)/"
    let retried = try await shell("printf piped | faraday --retry 1 --retry-delay 1 -T - \(url)status/503")
    #expect(recorder.requests.count == 1 && recorder.requests.first?.hasSuffix("piped") == true)
    #expect(retried.text.contains("cannot be sent again"), "\(retried.text)")
    let redirected = try await shell("printf piped | faraday -sSL -T - \(url)moved/307")
    #expect(redirected.status == 65 && recorder.requests.count == 2, "\(redirected.text)")
  }

  @Test func `a file as standard input is sent again from its start offset`() async throws {
    let recorder = try RecordingServer()
    defer { recorder.stop() }
    let file = try folder.write("12345678", to: "digits")
    for arguments in ["-L -T - \(recorder.port)/moved/307", "--retry 1 --retry-delay 1 -T - \(recorder.port)/status/503"] {
      let command = arguments.replacing(" -T - ", with: " -T - http://127.0.0.1:")
      let outcome = try await shell("{ dd bs=1 count=2 of=/dev/null; faraday -sS \(command); } <'\(file)'")
      #expect(outcome.status == 0, "\(outcome.text)")
    }
    #expect(recorder.requests.count == 4)
    #expect(recorder.requests.allSatisfy { $0.hasSuffix("{chunked}345678") }, "\(recorder.requests)")
  }

  @Test func `a body in an unknown coding is an error without a file`() async throws {
    let odd = try MockServer { _ in .status(.ok, headers: [.contentEncoding: "identity, odd"], body: "body") }
    let outcome = try await Program.run("-sS", "--compressed", "-o", folder.file("out"), odd.url)
    #expect(outcome.status == 61 && folder.read("out") == nil)
    #expect(outcome.error.hasPrefix("faraday: (61) Unrecognized content encoding type."), "\(outcome.error)")
    #expect(try await Program.run("-sS", odd.url).text == "body")
  }

  @Test func `an ETag that cannot be saved is reported with its file`() async throws {
    let path = folder.file("none/etag")
    let outcome = try await Program.run("-sS", "--etag-save", path, server.url + "/hello")
    #expect(outcome.status == 26)
    #expect(outcome.error == "faraday: (26) Failed to open \(path): No such file or directory\n")
  }

  @Test func `removing the length of a body is refused, because the body would become a request`() async throws {
    let outcome = try await Program.run("-sS", "-d", "a=1", "-H", "Content-Length:", server.url + "/echo")
    #expect(outcome.status == 2 && outcome.error.contains("-H 'Content-Length:'"), "\(outcome.error)")
    #expect(server.connectionCount == 0)
  }

  @Test func `a header that only libcurl can omit exits with 4 over another adapter`() async throws {
    let outcome = try await Program.run("-sS", "--transport", "urlsession", "-H", "Host:", server.url + "/hello")
    #expect(outcome.status == 4 && outcome.error.contains("URLSessionAdapter"), "\(outcome.error)")
    #expect(server.connectionCount == 0)
  }

  @Test func `a cookie file of Set-Cookie lines is a warning, and its cookies go only to the hosts that it names`()
    async throws
  {
    let head = try folder.write("HTTP/1.1 200 OK\r\nset-cookie: a=1\r\n\r\n", to: "head")
    let outcome = try await Program.run("-b", head, server.url + "/echo")
    #expect(outcome.status == 0 && outcome.error.contains("Warning: The Set-Cookie lines of"), "\(outcome.error)")
  }

  @Test func `a --connect-to without effect is a warning`() async throws {
    let outcome = try await Program.run("--connect-to", "a:80", server.url + "/hello")
    #expect(outcome.status == 0 && outcome.error.contains("Warning: --connect-to 'a:80'"), "\(outcome.error)")
  }

  @Test func `an invalid URL exits with 3`() async throws {
    let outcome = try await Program.run("http://:80/")
    #expect(outcome.status == 3)
    #expect(outcome.error.hasPrefix("faraday: (3) "))
  }

  @Test func `a scheme that is not HTTP exits with 1`() async throws {
    #expect(try await Program.run("ftp://127.0.0.1/").status == 1)
  }

  @Test func `a closed port exits with 7`() async throws {
    let refused = try RefusedPort()
    let outcome = try await Program.run("http://127.0.0.1:\(refused.port)/", "-w", "%{http_code} %{exitcode}")
    #expect(outcome.status == 7)
    #expect(outcome.error.hasPrefix("faraday: (7) "))
    #expect(outcome.text == "000 7")
  }

  @Test func `--silent hides the error, and --show-error shows it again`() async throws {
    let refused = try RefusedPort()
    #expect(try await Program.run("-s", "http://127.0.0.1:\(refused.port)/").error.isEmpty)
    #expect(try await Program.run("-sS", "http://127.0.0.1:\(refused.port)/").error.hasPrefix("faraday: (7) "))
  }

  @Test func `with --fail a 404 exits with 22, writes no body and keeps the output file`() async throws {
    let old = try folder.write("old", to: "old")
    let outcome = try await Program.run("-f", server.url + "/status/404")
    #expect(outcome.status == 22)
    #expect(outcome.output.isEmpty)
    #expect(outcome.error == "faraday: (22) The requested URL returned error: 404\n")
    #expect(try await Program.run("-fsS", "-o" + folder.file("new"), server.url + "/status/404").status == 22)
    #expect(folder.read("new") == nil)
    #expect(try await Program.run("-fsSo", old, server.url + "/status/500").status == 22)
    #expect(folder.read("old") == Data("old".utf8))
  }

  @Test func `without --fail a 404 is an ordinary response`() async throws {
    let outcome = try await Program.run(server.url + "/status/404")
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("404"))
  }

  @Test func `the maximum time exits with 28 and keeps the received bytes`() async throws {
    #expect(try await Program.run("-m", "0.2", server.url + "/stall").status == 28)
    let outcome = try await Program.run("-m3", "-o", folder.file("part"), server.url + "/stall/body", "-w%{http_code}")
    #expect(outcome.status == 28)
    #expect(outcome.text == "200")
    #expect(folder.read("part")?.count == 10)
  }

  @Test func `a connection that is reset before the response exits with 56`() async throws {
    #expect(try await Program.run(server.url + "/reset").status == 56)
  }

  @Test func `an unreadable upload exits with 26`() async throws {
    #expect(try await Program.run("-T", folder.file("nothing"), server.url).status == 26)
    #expect(try await Program.run("-T", folder.path, server.url).status == 26)
    #expect(try await Program.run("-d", "@" + folder.file("nothing"), server.url).status == 26)
    #expect(server.connectionCount == 0)
  }

  @Test func `an unwritable output exits with 23`() async throws {
    #expect(try await Program.run("-o", folder.file("no/such/folder"), server.url + "/hello").status == 23)
    #expect(try await Program.run("-O", server.url + "/").status == 23)
  }

  @Test func `a closed output pipe exits with 23`() async throws {
    let program = try Program.start("-s", server.url + "/bytes/1000000")
    program.closeOutput()
    #expect(await program.ended() == 23)
  }

  @Test func `a missing file of authorities exits with 77`() async throws {
    #expect(try await Program.run("--cacert", folder.file("none"), "https://127.0.0.1:\(server.port)/").status == 77)
  }
}
