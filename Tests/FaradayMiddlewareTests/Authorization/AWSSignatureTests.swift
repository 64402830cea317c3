import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// Which parts of a request are signed.
@Suite struct AWSSignatureTests {
  private let mock = MockAdapter()
  private static let key = AWSCredentials(accessKey: "AKID", secretKey: "hunter2", sessionToken: "hunter3")

  init() { mock.stub { Response(status: .ok, url: $0.url) } }

  /// The headers that a request was sent with.
  private func sent(
    _ url: String = "https://b.s3.amazonaws.com/k", scope: AWSScope = AWSScope(region: "us-east-1", service: "s3"),
    method: HTTPRequest.Method = .put, body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> HTTPFields {
    let signature = AWSSignature(scope, credentials: Self.key, now: { AWSVectorTests.date })
    let connection = Connection(adapter: mock, middleware: [signature])
    var request = try Request(method, url, body: body)
    try edit(&request)
    _ = try await connection.send(request)
    return try #require(mock.recorded.last?.request.headers)
  }

  // MARK: Errors

  @Test(arguments: [
    ("https://localhost/", AWSScope(), AWSSignatureError.Reason.missingService),
    ("https://service.com/", AWSScope(), .missingRegion), ("https://[::1]/", AWSScope(region: "r"), .missingService),
    ("https://a.b.c/", AWSScope(region: "", service: "s"), .invalidScope),
    ("https://a.b.c/", AWSScope(region: "r/x", service: "s"), .invalidScope),
    ("https://a.b.c/", AWSScope(region: "r", service: "s", headerProvider: "a\r\nb"), .invalidScope),
  ])
  func `an incomplete credential scope fails before anything is sent`(
    url: String, scope: AWSScope, reason: AWSSignatureError.Reason
  ) async throws {
    let error = await #expect(throws: AWSSignatureError.self) { try await sent(url, scope: scope) }
    #expect(error?.reason == reason && mock.recorded.isEmpty)
    #expect(error.map { !Shown.all($0).contains("hunter") } == true)
  }

  @Test func `an invalid X-Amz-Date of the request is an error`() async throws {
    let error = await #expect(throws: AWSSignatureError.self) {
      try await sent { $0.headers[.init("X-Amz-Date") ?? .date] = "today" }
    }
    #expect(error?.reason == .invalidDate && mock.recorded.isEmpty)
  }

  @Test(arguments: ["", "a\r\nb", "a/b", "a,b", "a b", "a=b", "ä", "a\0", "a\u{7F}"])
  func `an invalid access key is an error`(accessKey: String) async throws {
    let key = AWSCredentials(accessKey: accessKey, secretKey: "s")
    let connection = Connection(adapter: mock, middleware: [.awsSignature(region: "r", service: "s", credentials: key)])
    let error = await #expect(throws: AWSSignatureError.self) { try await connection.get("https://host/") }
    #expect(error?.description.contains("access key") == true && mock.recorded.isEmpty)
  }

  @Test func `an empty session token is ignored`() async throws {
    let key = AWSCredentials(accessKey: "AKID", secretKey: "s", sessionToken: "")
    let connection = Connection(adapter: mock, middleware: [.awsSignature(region: "r", service: "s", credentials: key)])
    _ = try await connection.get("https://host/")
    let headers = try #require(mock.recorded.last?.request.headers)
    #expect(headers["X-Amz-Security-Token"] == nil && headers[.authorization]?.contains("security-token") == false)
  }

  @Test func `the service name is case-insensitive`() async throws {
    let lower = try await sent("https://b.example/a%20b//c")
    let upper = try await sent("https://b.example/a%20b//c", scope: AWSScope(region: "us-east-1", service: "S3"))
    #expect(upper[.authorization] == lower[.authorization] && upper["X-Amz-Content-Sha256"] != nil)
    let host = try await sent("https://S3.US-EAST-1.amazonaws.com/a", scope: AWSScope())
    #expect(host[.authorization]?.contains("/us-east-1/s3/") == true)
  }

  @Test func `a verbatim request target is signed as it is`() async throws {
    let plain = try await sent("https://b.example/a/b?x=1&y")
    let verbatim = try await sent("https://b.example/other?z") { $0.options.requestTarget = .verbatim("/a/b?x=1&y") }
    #expect(verbatim[.authorization] == plain[.authorization])
    #expect(try await sent("https://b.example/a/b?x=1&y") { $0.options.requestTarget = .verbatim("/a") } != plain)
  }

  @Test(arguments: ["a", "*", "http://b.example/a", "?a", ""])
  func `a request target that is not a path cannot be signed`(target: String) async throws {
    let error = await #expect(throws: AWSSignatureError.self) { try await sent { $0.options.requestTarget = .verbatim(target) } }
    #expect(error?.description.contains("target") == true && mock.recorded.isEmpty)
  }

  @Test func `a body that is not encoded yet, or a sequence that can be read once, cannot be signed`() async throws {
    let encoded = await #expect(throws: AWSSignatureError.self) { try await sent(body: .encodable(["a": 1])) }
    #expect(encoded?.reason == .bodyNotEncoded)
    let scope = AWSScope(region: "r", service: "es")
    let once = await #expect(throws: AWSSignatureError.self) { try await sent(scope: scope, body: .stream(Pieces("a"))) }
    #expect(once?.reason == .bodyNotReplayable)
    let cleartext = await #expect(throws: AWSSignatureError.self) {
      try await sent("http://b.s3.amazonaws.com/k", body: .stream(Pieces("a")))
    }
    #expect(cleartext?.reason == .bodyNotReplayable && mock.recorded.isEmpty)
  }

  @Test func `a file that disappears before it is hashed is an error of the body`() async throws {
    let body: Body
    do {
      let file = try TemporaryFile(Data("a".utf8))
      body = try .file(file.path)
    }
    let error = await #expect(throws: TransportError.self) {
      try await sent(scope: AWSScope(region: "r", service: "es"), body: body)
    }
    #expect(error?.code == .bodyUnreadable && mock.recorded.isEmpty)
  }

  // MARK: Unsigned requests

  @Test func `cross-origin requests, and requests with credentials or without a key, are sent unsigned`() async throws {
    let signature = AWSSignature(AWSScope(region: "r", service: "s")) { request in
      request.url.path() == "/none" ? nil : Self.key
    }
    let connection = try Connection("https://home/", adapter: mock, middleware: [signature])
    _ = try await connection.get("https://away/")
    _ = try await connection.get { $0.headers[.authorization] = "Bearer own" }
    _ = try await connection.get("/none")
    #expect(mock.recorded.map { $0.request.headers[.authorization] } == [nil, "Bearer own", nil])
    #expect(mock.recorded.allSatisfy { $0.request.headers["X-Amz-Date"] == nil })
    #expect(mock.recorded.allSatisfy { $0.request.headers["X-Amz-Security-Token"] == nil })
  }

  @Test func `a cross-origin redirect removes signature and session token`() async throws {
    let mock = MockAdapter()
    mock.stub(times: 1) { Response(status: .found, headers: [.location: "https://away/"], url: $0.url) }
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection(
      "https://home/", adapter: mock, middleware: [.redirects(), .awsSignature(region: "r", service: "s", credentials: Self.key)])
    _ = try await connection.get()
    #expect(mock.recorded.count == 2 && mock.recorded[0].request.headers["X-Amz-Security-Token"] == "hunter3")
    #expect(mock.recorded[1].request.headers.map(\.name) == [.userAgent])
  }

  // MARK: Signed requests

  @Test func `headers that adapters or proxies change are not signed, and Host includes a non-default port`()
    async throws
  {
    let headers = try await sent("https://h.com:8443/", scope: AWSScope(region: "r", service: "s")) {
      $0.headers[.userAgent] = "me"
      $0.headers[.acceptEncoding] = "gzip"
      $0.headers[.accept] = "*/*"
    }
    #expect(headers[.authorization]?.contains("SignedHeaders=accept;host;x-amz-date;x-amz-security-token,") == true)
    let explicit = try await sent("https://h.com:443/", scope: AWSScope(region: "r", service: "s"))
    let implicit = try await sent("https://h.com/", scope: AWSScope(region: "r", service: "s"))
    let other = try await sent("https://h.com:8443/", scope: AWSScope(region: "r", service: "s"))
    #expect(explicit == implicit && explicit != other)
    let own = try await sent("https://h.com:8443/", scope: AWSScope(region: "r", service: "s")) {
      try $0.headers.set(name: "Host", value: "h.com")
    }
    #expect(own[.authorization] == implicit[.authorization])
  }

  @Test func `each attempt is signed with its own date`() async throws {
    let now = Now()
    let mock = MockAdapter()
    mock.stub(times: 1) { request in
      now.advance(by: 10)
      return Response(status: .serviceUnavailable, url: request.url)
    }
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = Connection(
      adapter: mock,
      middleware: [
        .retry(retries: 1, initialDelay: .zero),
        .awsSignature(region: "r", service: "s", credentials: Self.key, now: { now.date }),
      ])
    _ = try await connection.get("https://host/")
    #expect(mock.recorded.map { $0.request.headers["X-Amz-Date"] } == ["20260101T000000Z", "20260101T000010Z"])
  }

  @Test func `a stream to S3 over https has an unsigned payload, and the caller's own hash is kept`() async throws {
    let unsigned = try await sent(body: .stream(Pieces("a", "b")))
    #expect(unsigned["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD")
    let hash = SHA256.hash("ab".utf8).hexadecimal
    let own = try await sent(body: .stream(Pieces("a", "b"))) { try $0.headers.set(name: "X-Amz-Content-Sha256", value: hash) }
    let bytes = try await sent(body: "ab")
    #expect(own == bytes && own["X-Amz-Content-Sha256"] == hash && own != unsigned)
  }

  @Test func `a file and a replayable sequence are hashed and then sent completely`() async throws {
    let scope = AWSScope(region: "r", service: "es")
    let text = String(repeating: "ab", count: 200_000)
    let file = try TemporaryFile(Data(text.utf8))
    let bytes = try await sent(scope: scope, body: .text(text))
    #expect(try await sent(scope: scope, body: .file(file.path)) == bytes)
    #expect(try await sent(scope: scope, body: .stream(Pieces(text), isReplayable: true)) == bytes)
    #expect(mock.recorded.allSatisfy { $0.body == Data(text.utf8) })
  }

  @Test func `S3 signs the raw path, and other services normalize and encode it again`() async throws {
    func signature(_ url: String, _ service: String) async throws -> String? {
      let headers = try await sent(url, scope: AWSScope(region: "r", service: service))
      return headers[.authorization]
    }
    let folded = try await signature("https://h.com/a/b%20c", "es")
    #expect(try await signature("https://h.com/a//x/../b%20c", "es") == folded)
    let kept = try await signature("https://h.com/a/b%20c", "s3")
    #expect(try await signature("https://h.com/a//x/../b%20c", "s3") != kept)
    #expect(try await signature("https://h.com/a/%62%20c", "s3") == kept)
    #expect(try await signature("https://h.com/a/%62%20c", "es") != folded)
  }

  // MARK: curl's argument

  @Test(arguments: ["", ":", "aws:", ":amz", "aws::r:s", "aws:amz:r:", "aws:amz:r:s:t", "a b", "aws:\r\n"])
  func `an --aws-sigv4 argument with empty parts is an error`(text: String) {
    let error = #expect(throws: AWSSignatureError.self) { try AWSScope(parsing: text) }
    #expect(error?.reason == .invalidScope)
  }

  @Test(arguments: [
    ("osc", "https://api.eu-west-2.outscale.com/", "OSC4-HMAC-SHA256", "eu-west-2/api/osc4_request", "X-Osc-Date"),
    ("aws:amz", "https://s3.eu-west-1.amazonaws.com/", "AWS4-HMAC-SHA256", "eu-west-1/s3/aws4_request", "X-Amz-Date"),
    ("AWS:AMZ:us-east-2:es", "https://example.com/", "AWS4-HMAC-SHA256", "us-east-2/es/aws4_request", "X-Amz-Date"),
    (
      "goog:goog:auto:storage", "https://storage.googleapis.com/", "GOOG4-HMAC-SHA256", "auto/storage/goog4_request",
      "X-Goog-Date"
    ),
    ("aws:amz:r", "https://service.x.com/", "AWS4-HMAC-SHA256", "r/service/aws4_request", "X-Amz-Date"),
  ])
  func `an --aws-sigv4 argument names providers, region and service, and the host supplies missing ones`(
    text: String, url: String, algorithm: String, scope: String, field: String
  ) async throws {
    let headers = try await sent(url, scope: AWSScope(parsing: text))
    #expect(headers[.authorization]?.hasPrefix("\(algorithm) Credential=AKID/20150830/\(scope), SignedHeaders=") == true)
    #expect(headers[field] == "20150830T123600Z")
    #expect(headers[field.replacing("Date", with: "Security-Token")] == "hunter3")
  }

  @Test func `descriptions redact keys`() {
    let shown = Shown.all(Self.key)
    #expect(!shown.contains("hunter") && shown.contains("AKID"))
    #expect(Secrets().contains("X-Amz-Security-Token"))
  }
}
