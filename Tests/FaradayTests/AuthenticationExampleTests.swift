import Faraday
import FaradayCurl
import FaradayTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Runs the examples of the article "Authentication".
@Suite struct AuthenticationExampleTests {
  private typealias Examples = AuthenticationExamples

  private let mock = MockAdapter(isStrict: false)
  private let base = "https://api.test/v2/"

  private final class Secret: Examples.Vault, Examples.Login {
    let saved = Mutex<[OAuth2.Token]>([])
    func token(for host: String) async throws -> String { "for-\(host)" }
    func save(_ token: OAuth2.Token) async { saved.withLock { $0.append(token) } }
    func renew(_ rejected: String?) async throws -> String { "after-\(rejected ?? "nothing")" }
  }

  private var authorizations: [String?] { mock.recorded.map { $0.headers[.authorization] } }

  @Test func `fixed, provided and single credentials are sent to the connection's origin only`() async throws {
    let fixed = try Examples.fixed(base, user: "ada", password: "secret", over: mock)
    let provided = try Examples.provided(base, Secret(), over: mock)
    for api in [fixed, provided] {
      _ = try await api.get("reports")
      _ = try await api.get("https://other.test/reports")
    }
    _ = try await Examples.oneRequest(fixed, token: "own")
    #expect(authorizations == ["Basic YWRhOnNlY3JldA==", nil, "Bearer for-api.test", nil, "Bearer own"])
  }

  @Test func `a rejected token is renewed and the request sent again`() async throws {
    mock.stub { request in
      Response(status: request.headers[.authorization] == "Bearer after-old" ? .ok : .unauthorized, url: request.url)
    }
    let api = try Examples.refreshed(base, Secret(), savedToken: "old", over: mock)
    #expect(try await api.get("reports").status == .ok)
    #expect(authorizations == ["Bearer old", "Bearer after-old"])
  }

  @Test func `an API key is sent in a field or the query, not cross-origin, and redacted`() async throws {
    let field = try Examples.keyInField(base, key: "hidden", over: mock)
    let query = try Examples.keyInQuery(base, key: "hidden", over: mock)
    for api in [field, query] {
      _ = try await api.get("reports")
      _ = try await api.get("https://other.test/reports")
    }
    let sent = mock.recorded
    #expect(sent.map { $0.headers["X-Api-Key"] } == ["hidden", nil, nil, nil])
    #expect(sent.map { $0.request.query["appid"] } == [nil, nil, "hidden", nil])
    #expect(sent.allSatisfy { !Shown.all($0.request).contains("hidden") })
    #expect("\(sent[2].request)".contains("appid=[secret]"))
  }

  @Test func `Negotiate is an option of the transport`() async throws {
    _ = try await Examples.kerberos(try Connection(base, adapter: mock))
    #expect(mock.recorded.first?.request.options.authentication?.schemes == .negotiate)
  }

  // MARK: OAuth 2

  private let endpoint = MockAdapter()
  private let client = OAuth2.Client(id: "app", secret: "hunter2")

  private func url(_ path: String) throws -> URL { try #require(URL(string: "https://login.test/\(path)")) }

  private func form(_ index: Int) -> QueryParameters? {
    try? Request("https://login.test/?" + endpoint.recorded[index].text).query
  }

  @Test func `client credentials get one token for all requests`() async throws {
    try endpoint.stub(
      .post, path: "/token", body: #"{"access_token": "t1", "token_type": "Bearer", "expires_in": 600}"#, times: 1)
    let router = MockAdapter()
    router.stub { [endpoint, mock] request in
      try await (request.url.host() == "login.test" ? endpoint : mock).send(request)
    }
    let api = try Examples.clientCredentials(base, tokenURL: try url("token"), secret: "hunter2", over: router)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { _ = try await api.get("reports") } }
      try await group.waitForAll()
    }
    #expect(authorizations == ["Bearer t1", "Bearer t1", "Bearer t1"])
    #expect(form(0)?["grant_type"] == "client_credentials" && form(0)?["scope"] == "read")
    try endpoint.verify()
  }

  @Test func `a stored refresh token gets the next token, which is saved`() async throws {
    try endpoint.stub(
      .post, path: "/token", body: #"{"access_token": "t2", "token_type": "Bearer", "refresh_token": "r2", "expires_in": 600}"#)
    mock.stub { request in
      Response(status: request.headers[.authorization] == "Bearer t2" ? .ok : .unauthorized, url: request.url)
    }
    let vault = Secret()
    let tokens = Examples.refreshToken(
      tokenURL: try url("token"), client: client, stored: OAuth2.Token(accessToken: "t1", refreshToken: "r1"), vault,
      over: Connection(adapter: endpoint))
    let api = try Connection(base, adapter: mock, middleware: [tokens])
    #expect(try await api.get("reports").status == .ok)
    #expect(form(0)?["refresh_token"] == "r1")
    #expect(vault.saved.withLock { $0.map(\.refreshToken) } == ["r2"])
  }

  @Test func `a code from the browser becomes a token, with its verifier`() async throws {
    try endpoint.stub(.post, path: "/token", body: #"{"access_token": "t3", "token_type": "Bearer"}"#)
    let tokens = try await Examples.code(
      authorizationURL: try url("authorize"), tokenURL: try url("token"), client: client, over: Connection(adapter: endpoint)
    ) { page in
      let state = try #require(Request(url: page).query["state"])
      return try #require(
        URL(string: "http://127.0.0.1:8080/done?code=c1&state=\(state)&iss=https%3A%2F%2Flogin.example.com"))
    }
    _ = try await Connection(base, adapter: mock, middleware: [tokens]).get("reports")
    #expect(authorizations == ["Bearer t3"])
    #expect(form(0)?["code"] == "c1" && form(0)?["code_verifier"]?.utf8.count == 43)
  }

  @Test func `a device polls until its user agrees`() async throws {
    // Not a short code: the error code of the server is redacted where it contains the code.
    let device = #"{"device_code": "long-code", "user_code": "WD", "verification_uri": "https://login.test/", "expires_in": 60}"#
    try endpoint.stub(.post, path: "/device", body: .text(device))
    try endpoint.stub(.post, path: "/token", status: .badRequest, body: #"{"error": "authorization_pending"}"#, times: 1)
    try endpoint.stub(.post, path: "/token", body: #"{"access_token": "t4", "token_type": "Bearer", "refresh_token": "r4"}"#)
    let clock = ManualClock()
    let token = try await Examples.device(
      deviceURL: try url("device"), tokenURL: try url("token"), client: client, over: Connection(adapter: endpoint),
      clock: InstantClock(clock))
    #expect(token.accessToken == "t4" && token.refreshToken == "r4")
    #expect(clock.slept == [.seconds(5), .seconds(5)])
  }

  // MARK: S3

  /// A bucket that joins the parts in the order of a completed upload's list.
  private final class Storage: Sendable {
    struct State {
      var parts: [String: String] = [:]
      var contents: String?
      var requests: [String] = []
    }

    let state = Mutex(State())

    /// - Parameter failing: the request that gets an error.
    func response(to request: RecordedRequest, failing: String? = nil) -> Response {
      guard request.headers[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 Credential=key/") == true else {
        return .status(.forbidden)
      }
      let query = request.request.query
      return state.withLock { state in
        let number = query["partNumber"]
        let name = "\(request.method) \(number ?? (query["uploadId"] == nil ? "uploads" : "upload"))"
        state.requests.append(name)
        if name == failing {
          // What S3 does when it cannot join the parts.
          return name == "POST upload" ? .text("<Error><Code>InternalError</Code></Error>") : .status(.forbidden)
        }
        switch (request.method, number) {
        case (.post, _) where query["uploadId"] == nil:
          return .text("<InitiateMultipartUploadResult><UploadId>u-1</UploadId></InitiateMultipartUploadResult>")
        case (.put, let number?):
          state.parts[number] = request.text
          return .status(.ok, headers: [.eTag: "\"tag\(number)\""])
        case (.post, _):
          let pattern = /<Part><PartNumber>(\d+)<\/PartNumber><ETag>"tag(\d+)"<\/ETag><\/Part>/
          let numbers = request.text.matches(of: pattern).filter { $0.1 == $0.2 }.map { String($0.1) }
          state.contents = numbers.map { state.parts[$0] ?? "?" }.joined()
          return .text("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
        case (.put, nil):
          state.contents = request.text
          return .status(.ok)
        default: return .status(.noContent)
        }
      }
    }
  }

  private let credentials = AWSCredentials(accessKey: "key", secretKey: "hidden")

  private func bucket(_ storage: Storage, failing: String? = nil) throws -> (MockServer, Examples.Bucket) {
    let server = try MockServer { storage.response(to: $0, failing: failing) }
    let url = server.url + "/files/"
    return (server, try Examples.Bucket(url, region: "eu-central-1", credentials: credentials, over: CurlAdapter()))
  }

  @Test func `a file is put into a bucket as one object`() async throws {
    let storage = Storage()
    let (server, bucket) = try bucket(storage)
    let file = try TemporaryFile(Data("the photo".utf8))
    try await bucket.put(file.path, to: "photos/1.jpg")
    #expect(server.recorded.map(\.line) == ["PUT /files/photos/1.jpg"])
    #expect(storage.state.withLock { $0.contents } == "the photo")
  }

  @Test(arguments: ["", "0123456789", "01234567", "0"]) func `a large file is uploaded in parts`(contents: String) async throws {
    let storage = Storage()
    let (server, bucket) = try bucket(storage)
    let file = try TemporaryFile(Data(contents.utf8))
    try await bucket.upload(file.path, to: "photos/1.jpg", partSize: 4)
    let count = max(1, (contents.utf8.count + 3) / 4)
    let requests = storage.state.withLock { $0.requests }
    #expect(requests.first == "POST uploads" && requests.last == "POST upload")
    #expect(requests.dropFirst().dropLast().sorted() == (1...count).map { "PUT \($0)" })
    #expect(storage.state.withLock { $0.contents } == contents)
    #expect(server.recorded.first?.line == "POST /files/photos/1.jpg?uploads")
  }

  @Test(arguments: ["PUT 2", "POST upload"]) func `an upload that fails is aborted`(failing: String) async throws {
    let storage = Storage()
    let (server, bucket) = try bucket(storage, failing: failing)
    let file = try TemporaryFile(Data("0123456789".utf8))
    let error = await #expect(throws: (any Error).self) { try await bucket.upload(file.path, to: "a", partSize: 4) }
    #expect(failing == "PUT 2" ? error is StatusError : error is Examples.Bucket.InvalidAnswer)
    #expect(server.recorded.map(\.line).contains("DELETE /files/a?uploadId=u-1"))
    #expect(storage.state.withLock { $0.contents } == nil)
  }

  @Test func `a presigned URL needs no credentials, and its signature is redacted`() async throws {
    let sent = try await Examples.presigned(credentials, over: mock)
    #expect(sent.status == .notFound)
    let request = try #require(mock.recorded.first).request
    #expect(request.headers[.authorization] == nil)
    #expect(request.query["X-Amz-Expires"] == "600" && request.query["X-Amz-Signature"]?.utf8.count == 64)
    #expect("\(request)".contains("X-Amz-Signature=[secret]") && "\(request)".contains("X-Amz-Credential=[secret]"))
  }

  @Test func `temporary credentials are sent with their session token`() async throws {
    let signature = Examples.temporary { [credentials] _ in
      var temporary = credentials
      temporary.sessionToken = "session"
      return temporary
    }
    _ = try await Connection(base, adapter: mock, middleware: [signature]).get("a")
    #expect(mock.recorded.first?.headers["X-Amz-Security-Token"] == "session")
  }
}
