import Foundation
import Testing

/// Which of the requests that redirects lead to have credentials: from 127.0.0.1 to localhost, back, and there again.
@Suite struct CredentialHopTests {
  private static let joe = "Basic am9lOnB3"

  @Test(arguments: [
    (["-u", "joe:pw"], "/there", [joe, nil, joe, nil]),
    (["--location-trusted", "-u", "joe:pw"], "/there", [joe, joe, joe, joe]),
    (["-H", "Authorization: \(joe)"], "/there", [joe, nil, joe, nil]),
    (["--oauth2-bearer", "token"], "/there", ["Bearer token", nil, "Bearer token", nil]),
    // Credentials of a Location are ignored: a server cannot choose the credentials for others.
    ([], "/login-there", [nil, nil, nil, nil]),
    (["--location-trusted"], "/login-there", [nil, nil, nil, nil]),
    (["-u", "joe:pw"], "/login-there", [joe, nil, joe, nil]),
    (["--location-trusted", "-u", "joe:pw"], "/login-there", [joe, joe, joe, joe]),
  ])
  func `redirects never send credentials cross-origin`(
    _ arguments: [String], _ path: String, _ expected: [String?]
  ) async throws {
    let server = try RecordingServer()
    defer { server.stop() }
    let outcome = try await Program.run(["-sSL"] + arguments + ["http://127.0.0.1:\(server.port)\(path)"])
    #expect(outcome.status == 0 && outcome.text == "the end\n", "\(outcome.error)")
    #expect(server.requests.map { RecordedRequest($0)["authorization"] } == expected)
  }

  @Test func `netrc does not replace an Authorization header that -H removes`() async throws {
    let server = try RecordingServer()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let file = try folder.write("machine 127.0.0.1 login joe password pw\n", to: "netrc")
    _ = try await Program.run(
      "-sS", "--netrc-file", file, "http://127.0.0.1:\(server.port)/hello", "--next", "-sS", "--netrc-file", file, "-H",
      "Authorization:", "http://127.0.0.1:\(server.port)/hello")
    #expect(server.requests.map { RecordedRequest($0)["authorization"] } == [Self.joe, nil])
  }

  @Test(arguments: [false, true])
  func `the URL's login returns to its origin, and goes elsewhere only if trusted`(_ isTrusted: Bool) async throws {
    let server = try RecordingServer()
    defer { server.stop() }
    let url = "http://joe:pw@127.0.0.1:\(server.port)/there"
    _ = try await Program.run([isTrusted ? "--location-trusted" : "-L", "-sS", url])
    let elsewhere = isTrusted ? Self.joe : nil
    #expect(server.requests.map { RecordedRequest($0)["authorization"] } == [Self.joe, elsewhere, Self.joe, elsewhere])
  }
}
