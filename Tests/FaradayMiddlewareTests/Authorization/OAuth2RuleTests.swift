import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// Rules of RFC 6749 for tokens, codes and callbacks.
@Suite struct OAuth2RuleTests {
  @Test func `a refresh request does not ask for more scopes than were granted`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1","scope":"read"}"#), (200, #"{"access_token":"2"}"#))
    let connection = try authority.connection(grant: .password(user: "ada", password: "p"), scope: "read write")
    _ = try await connection.get()
    authority.now.advance(by: 600)
    _ = try await connection.get()
    #expect(authority.forms.count == 2 && authority.forms.last?.contains("write") == false)
  }

  @Test func `a rejected refresh token is forgotten`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1"}"#), (400, #"{"error":"invalid_grant"}"#),
      (200, #"{"access_token":"2","expires_in":600}"#), (200, #"{"access_token":"3","expires_in":600}"#))
    let connection = try authority.connection(grant: .password(user: "ada", password: "p"))
    for _ in 0..<3 {
      _ = try await connection.get()
      authority.now.advance(by: 600)
    }
    #expect(authority.tokens.elements[1].refreshToken == nil)
    #expect(authority.forms.count { $0.contains("refresh_token=r1") } == 1)
  }

  @Test func `an authorization code that the server has accepted is not sent again`() async throws {
    let authority = Authority((200, "{}"), (200, #"{"access_token":"1"}"#))
    let connection = try authority.connection(grant: .authorizationCode("c", redirectURI: nil, verifier: "v"))
    for _ in 0..<2 { await #expect(throws: OAuth2Error.self) { try await connection.get() } }
    #expect(authority.forms.count == 1)
  }

  @Test func `a callback with a repeated error is rejected`() throws {
    let url = try #require(URL(string: "https://auth.example/authorize"))
    let request = OAuth2.AuthorizationRequest(url, clientID: "app")
    let state = try #require(Request(url: request.url).query["state"])
    let callback = try #require(URL(string: "http://127.0.0.1/done?error=a&error=b&code=1&state=\(state)"))
    let error = #expect(throws: OAuth2Error.self) { try request.grant(from: callback) }
    #expect(error?.reason == .invalidCallback)
  }
}
