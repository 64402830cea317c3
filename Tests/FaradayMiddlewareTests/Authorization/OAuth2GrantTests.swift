import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The grants of users: password, authorization code and device.
@Suite struct OAuth2GrantTests {
  private static func form(_ text: String) -> [String: String?] {
    let query = (try? Request("https://x/?" + text).query) ?? [:]
    return Dictionary(query.items.map { ($0.name, $0.value) }) { first, _ in first }
  }

  // MARK: the password

  @Test func `a password gets the first token, the refresh token the next ones`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1"}"#),
      (200, #"{"access_token":"2","expires_in":600,"refresh_token":"r2"}"#), (200, #"{"access_token":"3"}"#))
    let connection = try authority.connection(grant: .password(user: "ada@x", password: "hunter3&"))
    for _ in 0..<3 {
      #expect(try await connection.get().status == .ok)
      authority.now.advance(by: 600)
    }
    #expect(
      authority.forms == [
        "grant_type=password&username=ada%40x&password=hunter3%26", "grant_type=refresh_token&refresh_token=r1",
        "grant_type=refresh_token&refresh_token=r2",
      ])
  }

  @Test func `a password is used again when the refresh token is refused`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1"}"#), (400, #"{"error":"invalid_grant"}"#),
      (200, #"{"access_token":"2","expires_in":600}"#))
    let connection = try authority.connection(grant: .password(user: "ada", password: "p"))
    #expect(try await connection.get().status == .ok)
    authority.now.advance(by: 600)
    #expect(try await connection.get().status == .ok)
    #expect(authority.forms.map { Self.form($0)["grant_type"] } == ["password", "refresh_token", "password"])
  }

  @Test func `a refusal that shows the password shows a mark instead`() async throws {
    let authority = Authority((400, #"{"error":"invalid_grant","error_description":"hunter3 is wrong"}"#))
    let connection = try authority.connection(grant: .password(user: "ada", password: "hunter3"))
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error.map { Shown.all($0).contains("hunter3") } == false)
  }

  @Test func `the refresh token of the client credentials grant is not used`() async throws {
    let authority = Authority((200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1"}"#))
    let connection = try authority.connection()
    for _ in 0..<2 {
      #expect(try await connection.get().status == .ok)
      authority.now.advance(by: 600)
    }
    #expect(authority.forms == ["grant_type=client_credentials", "grant_type=client_credentials"])
  }

  // MARK: the authorization code

  private static let callback = "http://127.0.0.1:8080/done"

  private static func authorization(issuer: String? = nil) throws -> OAuth2.AuthorizationRequest {
    OAuth2.AuthorizationRequest(
      try #require(URL(string: "https://auth.example/authorize?tenant=1")), clientID: "app", redirectURI: callback, scope: "a b",
      issuer: issuer, parameters: ["prompt": "login"])
  }

  private static func state(_ request: OAuth2.AuthorizationRequest) throws -> String {
    try #require(Request(url: request.url).query["state"])
  }

  private static func url(_ query: String) throws -> URL { try #require(URL(string: callback + "?" + query)) }

  @Test func `the URL has a challenge, and not the verifier`() throws {
    let request = try Self.authorization()
    let query = Request(url: request.url).query
    #expect(
      query.items.map(\.name) == [
        "tenant", "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
        "prompt",
      ])
    #expect(
      query["response_type"] == "code" && query["code_challenge_method"] == "S256" && query["redirect_uri"] == Self.callback)
    let grant = try request.grant(from: Self.url("code=c%2F1&state=" + Self.state(request)))
    guard case .authorizationCode("c/1", redirectURI: Self.callback, verifier: let verifier?) = grant else {
      Issue.record("\(grant)")
      return
    }
    #expect(verifier.utf8.count == 43 && !request.url.absoluteString.contains(verifier))
    let challenge = Data(SHA256.hash(verifier.utf8)).base64EncodedString()
    #expect(query["code_challenge"] == challenge.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    #expect(try Self.state(request) != Self.state(Self.authorization()))
  }

  @Test(arguments: [
    "code=1", "code=1&state=other", "state=S", "code=&state=S", "code=1&code=2&state=S", "code=1&state=S&state=S",
    "error=access_denied", "error=access_denied&state=other",
  ])
  func `a callback that does not answer the request is rejected`(query: String) throws {
    let request = try Self.authorization()
    let url = try Self.url(query.replacing("S", with: Self.state(request)))
    let error = #expect(throws: OAuth2Error.self) { try request.grant(from: url) }
    #expect(error?.reason == .invalidCallback)
  }

  @Test func `a refusal of the user is an error with its code`() throws {
    let request = try Self.authorization()
    let url = try Self.url("error=access_denied&error_description=no%0Away&state=" + Self.state(request))
    let error = #expect(throws: OAuth2Error.self) { try request.grant(from: url) }
    #expect(error?.reason == .refused(code: "access_denied", detail: "no\\nway"))
  }

  @Test(arguments: [("iss=https%3A%2F%2Fauth.example", true), ("iss=https%3A%2F%2Fevil.example", false), ("", false)])
  func `an issuer that is expected must be named`(query: String, isAccepted: Bool) throws {
    let request = try Self.authorization(issuer: "https://auth.example")
    let url = try Self.url("code=1&state=\(Self.state(request))&\(query)")
    let isGranted = (try? request.grant(from: url)) != nil
    #expect(isGranted == isAccepted)
  }

  @Test func `a code gets one token, and without a refresh token the user must authorize again`() async throws {
    let authority = Authority((503, ""), (200, #"{"access_token":"1","expires_in":600}"#))
    let client = OAuth2.Client(id: "app", secret: nil)
    let connection = try authority.connection(
      client: client, grant: .authorizationCode("c", redirectURI: Self.callback, verifier: "v"))
    await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(try await connection.get().status == .ok)
    authority.now.advance(by: 600)
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error?.reason == .authorizationExpired && error?.isTransient == false)
    #expect(
      Self.form(authority.forms[1]) == [
        "grant_type": "authorization_code", "code": "c", "redirect_uri": Self.callback, "code_verifier": "v", "client_id": "app",
      ])
    #expect(authority.forms.count == 2)
  }

  @Test func `a code is followed by refresh tokens`() async throws {
    let authority = Authority(
      (200, #"{"access_token":"1","expires_in":600,"refresh_token":"r1"}"#), (200, #"{"access_token":"2","expires_in":600}"#),
      (400, #"{"error":"invalid_grant"}"#))
    let connection = try authority.connection(grant: .authorizationCode("c", redirectURI: nil, verifier: nil))
    for _ in 0..<2 {
      #expect(try await connection.get().status == .ok)
      authority.now.advance(by: 600)
    }
    let error = await #expect(throws: OAuth2Error.self) { try await connection.get() }
    #expect(error?.reason == .refused(code: "invalid_grant", detail: nil))
    #expect(
      authority.forms.dropFirst() == ["grant_type=refresh_token&refresh_token=r1", "grant_type=refresh_token&refresh_token=r1"])
  }

  // MARK: the device

  private static let device = #"""
    {"device_code":"hunter4","user_code":"WDJB-MJHT","verification_uri":"https://auth.example/device","expires_in":60,"interval":2}
    """#

  /// Authorizes a device against answers of the endpoints, while the clock advances whenever the client sleeps.
  private static func authorize(
    client: OAuth2.Client = OAuth2.Client(id: "app", secret: nil), _ answers: (Int, String)...
  ) async throws -> (Result<OAuth2.Token, any Error>, slept: [Duration], shown: [OAuth2.DeviceAuthorization], forms: [String]) {
    let mock = MockAdapter()
    let rest = Mutex(answers)
    mock.stub { request in
      let (status, text) = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return Response(status: .init(code: status), body: .text(text), url: request.url)
    }
    let urls = try (#require(URL(string: "https://auth.example/device")), #require(URL(string: "https://auth.example/token")))
    let clock = ManualClock()
    let driver = Task {
      while !Task.isCancelled {
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
      }
    }
    defer { driver.cancel() }
    var shown: [OAuth2.DeviceAuthorization] = []
    let result: Result<OAuth2.Token, any Error>
    do {
      result = .success(
        try await OAuth2.authorizeDevice(
          at: urls.0, tokenURL: urls.1, client: client, scope: "read", over: Connection(adapter: mock), clock: clock
        ) { shown.append($0) })
    } catch {
      result = .failure(error)
    }
    return (result, clock.slept, shown, mock.recorded.map { String(decoding: $0.body, as: UTF8.self) })
  }

  @Test func `a device asks until the user has agreed, and less often when it is told to`() async throws {
    let (result, slept, shown, forms) = try await Self.authorize(
      (200, Self.device), (400, #"{"error":"authorization_pending"}"#), (400, #"{"error":"slow_down"}"#), (503, ""),
      (200, #"{"access_token":"1","refresh_token":"r"}"#))
    #expect(try result.get().accessToken == "1")
    #expect(slept == [.seconds(2), .seconds(2), .seconds(7), .seconds(14)])
    #expect(shown.map(\.userCode) == ["WDJB-MJHT"] && shown.first?.lifetime == .seconds(60))
    #expect(forms.first == "scope=read&client_id=app")
    #expect(Self.form(forms[1])["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
    #expect(Self.form(forms[1])["device_code"] == "hunter4")
  }

  @Test func `a secret that is a part of an error code does not hide the code`() async throws {
    let (result, slept, _, _) = try await Self.authorize(
      (200, Self.device.replacing("hunter4", with: "d")), (400, #"{"error":"authorization_pending"}"#),
      (200, #"{"access_token":"1"}"#))
    #expect(try result.get().accessToken == "1")
    #expect(slept.count == 2)
  }

  @Test func `a confidential client sends its identifier and proves itself`() async throws {
    let (result, _, _, forms) = try await Self.authorize(
      client: OAuth2.Client(id: "app", secret: "hunter2"), (200, Self.device), (200, #"{"access_token":"1"}"#))
    #expect(try result.get().accessToken == "1" && forms.first == "client_id=app&scope=read")
  }

  @Test(arguments: [
    (400, #"{"error":"access_denied","error_description":"hunter4"}"#, "access_denied"),
    (400, #"{"error":"authorization_pending"}"#, "expired_token"), (503, "", "expired_token"),
  ])
  func `a refusal and the end of the code's life are errors`(status: Int, body: String, code: String) async throws {
    let (result, _, _, _) = try await Self.authorize((200, Self.device), (status, body))
    let error = #expect(throws: OAuth2Error.self) { try result.get() }
    guard case .refused(code, _) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error.map { Shown.all($0).contains("hunter4") } == false)
  }

  @Test(arguments: [
    "{}", #"{"device_code":"a"}"#, #"{"device_code":"a","user_code":"b"}"#,
    #"{"device_code":"a","user_code":"b","verification_uri":"javascript:alert(1)"}"#,
    #"{"device_code":"a","user_code":"b","verification_uri":"file:///etc/passwd"}"#,
  ])
  func `an answer without a code or a web address is an error, and nothing is shown`(body: String) async throws {
    let (result, slept, shown, _) = try await Self.authorize((200, body))
    let error = #expect(throws: OAuth2Error.self) { try result.get() }
    #expect(error?.reason == .malformedResponse && shown.isEmpty && slept.isEmpty)
  }

  @Test func `secrets of grants and requests are not shown`() throws {
    let request = try Self.authorization()
    let grants: [OAuth2.Grant] = [
      .password(user: "ada", password: "hunter2"), .authorizationCode("hunter2", redirectURI: nil, verifier: "hunter2"),
    ]
    for grant in grants { #expect(!Shown.all(grant).contains("hunter2")) }
    let state = try Self.state(request)
    #expect(!Shown.all(request).contains(state))
  }
}
