import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import FaradayMiddleware

/// An authorization server and an API that takes its last token only.
final class Authority: Sendable {
  /// The requests that the API received, and those that the token endpoint received.
  let api = MockAdapter()
  let endpoint = MockAdapter()
  let now = Now()
  let tokens = Log<OAuth2.Token>()
  private let valid = Valid()

  private final class Valid: Sendable { let token = Mutex("") }

  static let tokenURL = URL(string: "https://auth.example/token")

  /// - Parameter answers: the JSON of each answer of the endpoint with its status; the last one is repeated.
  init(_ answers: (Int, String)...) {
    let rest = Mutex(answers)
    api.stub { [valid] request in
      let isGood = request.headers[.authorization] == "Bearer " + valid.token.withLock { $0 }
      return Response(status: isGood ? .ok : .unauthorized, url: request.url)
    }
    endpoint.stub { [valid] request in
      let (status, text) = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      if let token = text.firstMatch(of: /"access_token":"([^"]*)"/)?.1 { valid.token.withLock { $0 = String(token) } }
      return Response(status: .init(code: status), body: .text(text), url: request.url)
    }
  }

  func revoke() { valid.token.withLock { $0 = "revoked" } }

  func connection(
    client: OAuth2.Client = OAuth2.Client(id: "app", secret: "hunter2"), grant: OAuth2.Grant = .clientCredentials,
    scope: String? = nil, parameters: QueryParameters = [:], token: OAuth2.Token? = nil, leeway: Duration = .seconds(60),
    tokenURL: URL? = Authority.tokenURL, allowsCleartextEndpoint: Bool = false, middleware: [any Middleware] = []
  ) throws -> Connection {
    let oauth = OAuth2(
      tokenURL: try #require(tokenURL), client: client, grant: grant, scope: scope, parameters: parameters, token: token,
      leeway: leeway, allowsCleartextEndpoint: allowsCleartextEndpoint,
      over: Connection(adapter: endpoint, middleware: middleware),
      now: { [now] in now.date }, onToken: { [tokens] in tokens.append($0) })
    return try Connection("https://api.example/", adapter: api, middleware: [oauth])
  }

  var forms: [String] { endpoint.recorded.map { String(decoding: $0.body, as: UTF8.self) } }

  @Test(arguments: [(503, #"{"error":"busy"}"#), (500, #"{"error":"server_error"}"#), (429, #"{"error":"slow_down"}"#)])
  func `a token is used until it expires while the token endpoint reports an overload as JSON`(status: Int, body: String)
    async throws
  {
    let authority = Authority((200, #"{"access_token":"1","expires_in":600}"#), (status, body))
    let connection = try authority.connection()
    #expect(try await connection.get().status == .ok)
    authority.now.advance(by: 550)
    #expect(try await connection.get().status == .ok)
    #expect(authority.endpoint.recorded.count == 2)
  }
}

@Suite struct OAuth2Tests {
  // MARK: no token

  @Test(arguments: [
    (
      400, #"{"error":"invalid_grant","error_description":"hunter2 is\nwrong"}"#,
      OAuth2Error.Reason.refused(code: "invalid_grant", detail: "[secret] is\\nwrong")
    ),
    (401, #"{"error":"invalid_client"}"#, .refused(code: "invalid_client", detail: nil)),
    (503, "busy", .unexpectedStatus(503)), (302, "", .unexpectedStatus(302)), (400, #"{"error":1}"#, .unexpectedStatus(400)),
    (200, "", .malformedResponse), (200, "[]", .malformedResponse), (200, #"{"token_type":"bearer"}"#, .malformedResponse),
    (200, #"{"access_token":"a b"}"#, .malformedResponse), (200, #"{"access_token":""}"#, .malformedResponse),
    (200, #"{"access_token":"a","token_type":"mac"}"#, .unsupportedTokenType("mac")),
    // Some servers answer 200 to everything.
    (
      200, #"{"error":"bad_verification_code","error_description":"hunter2 expired"}"#,
      .refused(code: "bad_verification_code", detail: "[secret] expired")
    ),
  ])
  func `an invalid token response fails before the request is sent, without showing secrets`(
    status: Int, text: String, reason: OAuth2Error.Reason
  ) async throws {
    let authority = Authority((status, text))
    let connection = try authority.connection()
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error?.reason == reason && error?.isTransient == (status == 503))
    #expect(error.map { !Shown.all($0).contains("hunter2") && $0.description.contains("https://auth.example/token") } == true)
    #expect(authority.api.recorded.isEmpty && authority.tokens.elements.isEmpty)
  }

  @Test func `errors redact secret parameters of the server's response`() async throws {
    let authority = Authority((400, #"{"error":"invalid_hunter3","error_description":"hunter3 hunter3b of all at audience"}"#))
    let connection = try authority.connection(
      parameters: ["password": "hunter3", "client_assertion": "hunter3b", "audience": "audience"])
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error?.reason == .refused(code: "invalid_[secret]", detail: "[secret] [secret] of all at audience"))
  }

  @Test func `an endpoint without https is used only if that is allowed`() async throws {
    let authority = Authority((200, #"{"access_token":"a"}"#))
    let url = URL(string: "http://auth.example/token")
    let connection = try authority.connection(tokenURL: url)
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error?.reason == .insecureEndpoint && authority.endpoint.recorded.isEmpty)
    let allowed = try authority.connection(tokenURL: url, allowsCleartextEndpoint: true)
    #expect(try await allowed.get().status == .ok)
  }

  @Test func `redirects of the token endpoint are not followed, even on a connection that follows redirects`() async throws {
    let authority = Authority((307, ""))
    let connection = try authority.connection(middleware: [
      .closure { request, next in
        var response = try await next(request)
        response.headers[.location] = "https://elsewhere/"
        return response
      }
    ])
    await #expect(throws: OAuth2Error.self) { try await connection.get() }
    let following = try authority.connection(middleware: [
      .redirects(),
      .closure { request, next in
        var response = try await next(request)
        response.headers[.location] = "https://elsewhere/"
        return response
      },
    ])
    await #expect(throws: OAuth2Error.self) { try await following.get() }
    #expect(authority.endpoint.recorded.count == 2)
  }

  @Test func `a token error fails the waiting requests, and the next request asks again`() async throws {
    let authority = Authority((503, ""), (200, #"{"access_token":"a"}"#))
    let connection = try authority.connection()
    await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(try await connection.get().status == .ok)
  }

  // MARK: the token request

  @Test func `client ID and secret are percent-encoded and sent as Basic credentials`() async throws {
    let authority = Authority((200, #"{"access_token":"a","token_type":"BEARER"}"#))
    let client = OAuth2.Client(id: "a:b", secret: "p w%é")
    let connection = try authority.connection(client: client, scope: "read write", parameters: ["audience": "x"])
    #expect(try await connection.get().status == .ok)
    let request = try #require(authority.endpoint.recorded.first?.request)
    let basic = Data("a%3Ab:p%20w%25%C3%A9".utf8).base64EncodedString()
    #expect(request.headers[.authorization] == "Basic " + basic && request.method == .post)
    #expect(request.headers[.accept] == "application/json")
    #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
    #expect(authority.forms == ["grant_type=client_credentials&scope=read%20write&audience=x"])
  }

  @Test func `client ID and secret are sent in the form if requested, and for a public client`() async throws {
    let authority = Authority((200, #"{"access_token":"a"}"#))
    _ = try await authority.connection(client: .init(id: "app", secret: "s&", authentication: .body)).get()
    _ = try await authority.connection(client: .init(id: "app", secret: nil)).get()
    #expect(
      authority.forms == [
        "grant_type=client_credentials&client_id=app&client_secret=s%26", "grant_type=client_credentials&client_id=app",
      ])
    #expect(authority.endpoint.recorded.allSatisfy { $0.request.headers[.authorization] == nil })
  }

  @Test func `a cross-origin request gets no token`() async throws {
    let authority = Authority((200, #"{"access_token":"a"}"#))
    #expect(try await authority.connection().get("https://other.example/").status == .unauthorized)
    #expect(
      authority.endpoint.recorded.isEmpty && authority.api.recorded.allSatisfy { $0.request.headers[.authorization] == nil })
  }

  // MARK: renewal

  @Test func `a token is renewed before it expires, earlier by the leeway`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600}"#), (200, #"{"access_token":"2","expires_in":"600"}"#),
      (200, #"{"access_token":"3"}"#))
    let connection = try authority.connection()
    for (advance, count) in [(0.0, 1), (539, 1), (1, 2), (539, 2), (1, 3), (1e9, 3)] {
      authority.now.advance(by: advance)
      #expect(try await connection.get().status == .ok)
      #expect(authority.endpoint.recorded.count == count)
    }
    #expect(authority.tokens.elements.map(\.accessToken) == ["1", "2", "3"])
  }

  @Test func `a token is used until it expires while the token endpoint fails`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600}"#), (503, ""), (503, ""), (503, ""), (200, #"{"access_token":"2"}"#))
    let connection = try authority.connection()
    // With 50 s left one request tries to renew and fails. The next one tries again after half of the remaining time.
    for (advance, count) in [(0.0, 1), (550, 2), (24, 2), (1, 3), (12, 3)] {
      authority.now.advance(by: advance)
      #expect(try await connection.get().status == .ok)
      #expect(authority.endpoint.recorded.count == count)
    }
    // It has expired.
    authority.now.advance(by: 13)
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error?.reason == .unexpectedStatus(503) && authority.endpoint.recorded.count == 4)
    #expect(try await connection.get().status == .ok)
    #expect(authority.tokens.elements.map(\.accessToken) == ["1", "2"])
  }

  @Test func `a rejected token is not used again even if the token endpoint fails`() async throws {
    let authority = Authority((200, #"{"access_token":"1","expires_in":600}"#), (503, ""))
    let connection = try authority.connection()
    #expect(try await connection.get().status == .ok)
    authority.revoke()
    await #expect(throws: OAuth2Error.self) { try await connection.get() }
    authority.now.advance(by: 550)
    await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(authority.api.recorded.count == 3)
  }

  @Test func `a refused renewal is an error even if the token has not expired`() async throws {
    let authority = Authority((200, #"{"access_token":"1","expires_in":600}"#), (400, #"{"error":"invalid_client"}"#))
    let connection = try authority.connection()
    #expect(try await connection.get().status == .ok)
    authority.now.advance(by: 550)
    await #expect(throws: OAuth2Error.self) { try await connection.get() }
  }

  @Test func `a short-lived token is not renewed before half of its lifetime`() async throws {
    let authority = Authority((200, #"{"access_token":"1","expires_in":10}"#))
    let connection = try authority.connection()
    for (advance, count) in [(0.0, 1), (4, 1), (1, 2)] {
      authority.now.advance(by: advance)
      _ = try await connection.get()
      #expect(authority.endpoint.recorded.count == count)
    }
  }

  @Test(arguments: ["-1", "1e400", "\"soon\"", "null", "99999999999999999999", "{}"])
  func `an invalid lifetime never expires the token`(lifetime: String) async throws {
    let authority = Authority((200, #"{"access_token":"1","expires_in":\#(lifetime)}"#))
    _ = try? await authority.connection().get()
    #expect(authority.endpoint.recorded.count == 1)
  }

  @Test func `a rejected token is replaced, and the request is sent again`() async throws {
    let authority = Authority((200, #"{"access_token":"1"}"#), (200, #"{"access_token":"2"}"#))
    let connection = try authority.connection()
    #expect(try await connection.get().status == .ok)
    authority.revoke()
    #expect(try await connection.get().status == .ok)
    #expect(authority.endpoint.recorded.count == 2 && authority.api.recorded.count == 3)
  }

  @Test func `a refresh token is used, rotated by the server and reported to the caller`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1"}"#), (200, #"{"access_token":"2","expires_in":600}"#),
      (200, #"{"access_token":"3","expires_in":600,"refresh_token":"r2","scope":"read"}"#))
    let connection = try authority.connection(grant: .refreshToken("r/0"))
    for _ in 0..<3 {
      #expect(try await connection.get().status == .ok)
      authority.now.advance(by: 600)
    }
    #expect(authority.forms.map { $0.dropFirst("grant_type=refresh_token&refresh_token=".count) } == ["r%2F0", "r1", "r1"])
    #expect(authority.tokens.elements.map(\.refreshToken) == ["r1", "r1", "r2"])
    #expect(authority.tokens.elements.last?.scope == "read")
  }

  @Test func `a saved token is used until it expires, and then its refresh token`() async throws {
    let authority = Authority((200, #"{"access_token":"2"}"#))
    let saved = OAuth2.Token(accessToken: "1", expires: authority.now.date + 600, refreshToken: "saved")
    let connection = try authority.connection(grant: .refreshToken("first"), token: saved)
    #expect(try await connection.get().status == .ok)
    #expect(authority.api.recorded.first?.request.headers[.authorization] == "Bearer 1")
    #expect(authority.forms == ["grant_type=refresh_token&refresh_token=saved"])
  }

  @Test func `concurrent requests share one token request`() async throws {
    let authority = Authority((200, #"{"access_token":"1"}"#))
    let mayAnswer = Gate()
    let connection = try authority.connection(middleware: [
      .closure { request, next in
        await mayAnswer.opened()
        return try await next(request)
      }
    ])
    let oauth = try #require(connection.stack.middleware.first as? OAuth2)
    let tasks = (0..<20).map { _ in Task { try await connection.get().status.code } }
    await until { oauth.tokens.store.flight.waiterCount == 20 }
    mayAnswer.open()
    for task in tasks { #expect(try await task.value == 200) }
    #expect(authority.endpoint.recorded.count == 1)
  }

  @Test func `a cancelled request does not lose a rotated refresh token`() async throws {
    let authority = Authority((200, #"{"access_token":"1","refresh_token":"r1"}"#))
    let mayAnswer = Gate()
    let hasBegun = Gate()
    let connection = try authority.connection(
      grant: .refreshToken("r0"),
      middleware: [
        .closure { request, next in
          let response = try await next(request)
          hasBegun.open()
          await mayAnswer.opened()
          try Task.checkCancellation()
          return response
        }
      ])
    let task = Task { try await connection.get().status.code }
    await hasBegun.opened()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    mayAnswer.open()
    #expect(try await connection.get().status == .ok)
    #expect(authority.forms == ["grant_type=refresh_token&refresh_token=r0"])
    #expect(authority.tokens.elements.map(\.refreshToken) == ["r1"])
  }

  @Test func `descriptions redact secrets`() throws {
    let values: [Any] = [
      OAuth2.Client(id: "app", secret: "hunter2"), OAuth2.Grant.refreshToken("hunter2"),
      OAuth2.Token(accessToken: "hunter2", refreshToken: "hunter2"),
    ]
    for value in values { #expect(!Shown.all(value).contains("hunter2")) }
  }
}
