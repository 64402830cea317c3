import Foundation
import Testing

/// Which of the requests that redirects lead to have credentials: from 127.0.0.1 to localhost, back, and there again.
@Suite struct CredentialHopTests {
  private static let joe = "Basic am9lOnB3"
  private static let eve = "Basic ZXZlOng="

  @Test(arguments: [
    (["-u", "joe:pw"], "/there", [joe, nil, joe, nil]),
    (["--location-trusted", "-u", "joe:pw"], "/there", [joe, joe, joe, joe]),
    (["-H", "Authorization: \(joe)"], "/there", [joe, nil, joe, nil]),
    (["--oauth2-bearer", "token"], "/there", ["Bearer token", nil, "Bearer token", nil]),
    // Those of a Location are for that request.
    ([], "/login-there", [nil, eve, nil, nil]),
    (["--location-trusted"], "/login-there", [nil, eve, nil, nil]),
    // Those of the command line go before them.
    (["-u", "joe:pw"], "/login-there", [joe, nil, joe, nil]),
    (["--location-trusted", "-u", "joe:pw"], "/login-there", [joe, joe, joe, joe]),
  ])
  func `credentials stay with their origin over redirects`(
    _ arguments: [String], _ path: String, _ expected: [String?]
  ) async throws {
    let server = try RecordingServer()
    defer { server.stop() }
    let outcome = try await Program.run(["-sSL"] + arguments + ["http://127.0.0.1:\(server.port)\(path)"])
    #expect(outcome.status == 0 && outcome.text == "the end\n", "\(outcome.error)")
    #expect(server.requests.map { RecordedRequest($0)["authorization"] } == expected)
  }

  @Test(arguments: [false, true])
  func `the login of the URL goes back to its origin, and elsewhere only if that is trusted`(_ isTrusted: Bool) async throws {
    let server = try RecordingServer()
    defer { server.stop() }
    let url = "http://joe:pw@127.0.0.1:\(server.port)/there"
    _ = try await Program.run([isTrusted ? "--location-trusted" : "-L", "-sS", url])
    let elsewhere = isTrusted ? Self.joe : nil
    #expect(server.requests.map { RecordedRequest($0)["authorization"] } == [Self.joe, elsewhere, Self.joe, elsewhere])
  }
}
