import Faraday
import FaradayCurl
import FaradayURLSession
import Foundation
import Synchronization
import Testing

@testable import FaradayTesting

/// Recording over a server on the loopback interface, and replaying after it has stopped.
@Suite struct CassetteTests {
  /// A new folder, removed afterwards.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "cassettes-\(UUID())").path()

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "test.har") -> String { "\(path)/\(name)" }
    func text(_ name: String = "test.har") throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
    /// The bytes of all files.
    func everything() throws -> String {
      let names = try #require(FileManager.default.enumerator(atPath: path)).compactMap { $0 as? String }
      return names.compactMap { try? Data(contentsOf: URL(filePath: file($0))) }.map { String(decoding: $0, as: UTF8.self) }.joined()
    }
    func write(_ text: String, _ name: String = "test.har") throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: file(name)))
    }
  }

  private func connection(
    _ url: String, _ cassette: Cassette, _ middleware: [any Middleware] = [], secrets: Secrets = Secrets()
  ) throws -> Connection {
    try Connection(url, secrets: secrets, adapter: cassette, middleware: middleware)
  }

  // MARK: errors

  @Test func `a cassette that does not exist is an error, if it cannot be recorded`() throws {
    let folder = Folder()
    for mode in [Cassette.Mode.never, .once, .always, .new] {
      let error = #expect(throws: CassetteError.self) { try Cassette(folder.file(), mode: mode) }
      #expect(error?.reason == .missing)
    }
    let error = #expect(throws: CassetteError.self) { try Cassette(folder.file(), over: MockAdapter(), mode: .never) }
    #expect("\(try #require(error))".contains("FARADAY_CASSETTES=always"))
  }

  @Test(arguments: [
    ("", "not valid JSON"), ("{\"log\": {\"entries\": [", "not valid JSON"), ("[]", "another type"), ("{}", "no log"),
    ("{\"log\": {\"entries\": [{\"request\": {\"method\": 1}}]}}", "at log.entries[0].request.method"),
    ("{\"log\": {\"entries\": [{\"request\": {\"method\": \"GET\", \"url\": \"/\"}}]}}", "no response"),
  ])
  func `a file that is no archive is an error that says where`(_ text: String, _ problem: String) throws {
    let folder = Folder()
    try folder.write(text)
    let error = try #require(#expect(throws: CassetteError.self) { try Cassette(folder.file(), mode: .never) })
    #expect("\(error)".contains(problem), "\(error)")
  }

  @Test func `a file over the limit is an error`() throws {
    let folder = Folder()
    try folder.write("")
    let handle = try #require(FileHandle(forWritingAtPath: folder.file()))
    try handle.truncate(atOffset: UInt64(Cassette.maximumSize) + 1)
    let error = #expect(throws: CassetteError.self) { try Cassette(folder.file(), mode: .never) }
    #expect("\(try #require(error))".contains("more than"))
  }

  @Test func `the file of a body must be in the cassette's folder`() async throws {
    let folder = Folder()
    for name in ["../test.har", "/etc/hostname", "..", ""] {
      try folder.write(
        """
        {"log": {"entries": [{"request": {"method": "GET", "url": "http://host/"},
          "response": {"status": 200, "content": {"_file": "\(name)"}}}]}}
        """)
      let cassette = try Cassette(folder.file(), mode: .never)
      await #expect(throws: CassetteError.self) { try await connection("http://host/", cassette).get() }
    }
  }

  @Test func `an unknown request shows the nearest recording and what differs`() async throws {
    let folder = Folder()
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let matching = Cassette.Matching(headers: [.accept], comparesBodies: true)
    let recorded = try Cassette(folder.file(), over: mock, matching: matching)
    let connection = try connection("http://host/", recorded)
    _ = try await connection.get("users?page=1&size=5")
    _ = try await connection.post("users", body: .text("{\"name\": \"Ada\"}"))
    try recorded.finish()

    func problem(_ send: (Connection) async throws -> Response) async throws -> String {
      let replayed = try Cassette(folder.file(), mode: .never, matching: matching)
      let connection = try self.connection("http://host/", replayed)
      let error = await #expect(throws: CassetteError.self) { _ = try await send(connection) }
      // The code under test may have handled it.
      let handled = #expect(throws: CassetteError.self) { try replayed.finish() }
      #expect(handled == error)
      return try "\(#require(error))"
    }
    #expect(try await problem { try await $0.get("users?page=2&size=5") }.contains("the query item page is 2 and not 1"))
    #expect(try await problem { try await $0.get("people?page=1&size=5") }.contains("the path is /people and not /users"))
    #expect(
      try await problem { try await $0.get("users?page=1&size=5", headers: ["Accept": "text/html"]) }
        .contains("the field Accept is text/html and not empty"))
    #expect(
      try await problem { try await $0.post("users", body: .text("{\"name\": \"Bob\"}")) }.contains("the body differs at byte 10"))
    #expect(try await problem { try await $0.delete("users") }.contains("the method is DELETE and not POST"))
    #expect(
      try await problem {
        _ = try await $0.get("users?page=1&size=5")
        return try await $0.get("users?page=1&size=5")
      }.contains("was used already"))
  }

  @Test func `recordings that are not used are an error`() async throws {
    let folder = Folder()
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let recorded = try Cassette(folder.file(), over: mock)
    _ = try await connection("http://host/", recorded).get("a")
    _ = try await connection("http://host/", recorded).get("b?token=hunter2")
    try recorded.finish()
    let replayed = try Cassette(folder.file(), mode: .never)
    _ = try await connection("http://host/", replayed).get("a")
    let error = #expect(throws: CassetteError.self) { try replayed.finish() }
    #expect(error?.reason == .unused(["GET http://host/b?token=[secret]"]))
  }

  @Test func `an exchange that failed is recorded, and replayed with its error`() async throws {
    let folder = Folder()
    let port = try RefusedPort()
    let recorded = try Cassette(folder.file(), over: CurlAdapter())
    let url = "http://127.0.0.1:\(port.port)/"
    let error = await #expect(throws: TransportError.self) { try await connection(url, recorded).get() }
    try recorded.finish()
    let replayed = try Cassette(folder.file(), mode: .never)
    let again = await #expect(throws: TransportError.self) { try await connection(url, replayed).get() }
    #expect(again?.code == .connectionFailed && again?.description == error?.description)
    try replayed.finish()
  }

  @Test func `a body that was cut is replayed with its bytes and its error`() async throws {
    let folder = Folder()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npartial")
    }
    func read(_ cassette: Cassette) async throws -> [String] {
      let response = try await connection(server.url, cassette).get { $0.options.delivery = .streamed }
      var text = ""
      do {
        for try await piece in response.body { text += String(decoding: piece, as: UTF8.self) }
        return [text]
      } catch let error as TransportError {
        return [text, error.code.rawValue]
      }
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter())
    #expect(try await read(recorded) == ["partial", "truncatedResponse"])
    try recorded.finish()
    #expect(try await read(Cassette(folder.file(), mode: .never)) == ["partial", "truncatedResponse"])
  }

  // MARK: modes

  @Test func `modes decide between recording and replaying`() async throws {
    let folder = Folder()
    let answers = Mutex(0)
    let mock = MockAdapter { request in
      Response(status: .ok, body: .text("\(answers.withLock { $0 += 1; return $0 })"), url: request.url)
    }
    func get(_ mode: Cassette.Mode, _ path: String = "a", repeats: Bool = false) async throws -> String {
      let cassette = try Cassette(folder.file(), over: mock, mode: mode, repeats: repeats)
      defer { try? cassette.finish() }
      return try await connection("http://host/", cassette).get(path).text()
    }
    #expect(try await get(.once) == "1")
    #expect(try await get(.once) == "1")
    await #expect(throws: CassetteError.self) { try await get(.once, "b") }
    #expect(try await get(.always) == "2")
    #expect(try await get(.never) == "2")
    #expect(try await get(.new, "b") == "3")
    #expect(try await get(.never, "b") == "3")
    #expect(try await get(.never) == "2")
    #expect(mock.recorded.count == 3)
  }

  @Test func `equal requests get their recordings in order, and then the last one if it repeats`() async throws {
    let folder = Folder()
    let answers = Mutex(0)
    let mock = MockAdapter { request in
      Response(status: .ok, body: .text("\(answers.withLock { $0 += 1; return $0 })"), url: request.url)
    }
    let recorded = try Cassette(folder.file(), over: mock)
    for _ in 1...3 { _ = try await connection("http://host/", recorded).get("a") }
    try recorded.finish()
    let replayed = try Cassette(folder.file(), mode: .never, repeats: true)
    var texts: [String] = []
    for _ in 1...5 { texts.append(try await connection("http://host/", replayed).get("a").text()) }
    #expect(texts == ["1", "2", "3", "3", "3"])
    try replayed.finish()
  }

  @Test func `two recordings of the same exchanges have the same lines, but for times`() async throws {
    let folder = Folder()
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, headers: [.contentType: "application/json"], body: "{\"a\":1}", url: $0.url) }
    for name in ["1.har", "2.har"] {
      let cassette = try Cassette(folder.file(name), over: mock)
      _ = try await connection("http://host/", cassette).get("a")
      _ = try await connection("http://host/", cassette).post("b", body: "text")
      try cassette.finish()
    }
    func lines(_ name: String) throws -> [Substring] {
      try folder.text(name).split(separator: "\n").filter { !$0.contains("\"startedDateTime\"") && !$0.contains(#/"(time|wait|receive|blocked)" : /#) }
    }
    #expect(try lines("1.har") == lines("2.har"))
    #expect(try lines("1.har").count > 50)
  }

  // MARK: what is recorded

  @Test func `a cassette of one adapter is replayed by the other`() async throws {
    let folder = Folder()
    let adapters: [any Adapter] = [CurlAdapter(), URLSessionAdapter()]
    for (index, adapter) in adapters.enumerated() {
      let server = try LocalServer()
      func all(_ cassette: Cassette) async throws -> [String] {
        let connection = try connection(server.url, cassette)
        var shown: [String] = []
        for path in ["hello", "status/404", "cookies", "redirect/2", "bytes/300000", "drip?interval=1"] {
          let response = try await connection.get(path)
          let length = response.headers[.contentLength] ?? ""
          shown.append("\(response.status.code) \(length) \(try await response.body.collect().base64EncodedString())")
        }
        shown.append(try await connection.post("echo", body: .text("text")).text())
        let body = Body.stream(AsyncStream { continuation in
          for text in ["a", "b"] { continuation.yield(Data(text.utf8)) }
          continuation.finish()
        })
        shown.append(try await connection.post("echo", body: body).text())
        shown.append(try await connection.head("hello").headers[.contentLength] ?? "")
        return shown
      }
      let name = "\(index).har"
      let recorded = try Cassette(folder.file(name), over: adapter)
      let first = try await all(recorded)
      try recorded.finish()
      server.stop()
      for other in adapters {
        let replayed = try Cassette(folder.file(name), over: other, mode: .never, matching: .init(comparesBodies: true))
        #expect(try await all(replayed) == first)
        try replayed.finish()
      }
    }
  }

  @Test func `informational responses and trailers are replayed`() async throws {
    let folder = Folder()
    let server = try LocalServer()
    func all(_ cassette: Cassette) async throws -> [String] {
      let hints = Log<String>()
      let connection = try connection(server.url, cassette)
      _ = try await connection.get("early-hints") {
        $0.options.onInformational = { hints.append("\($0.status.code) \($0.headerFields[.link] ?? "")") }
      }
      let response = try await connection.get("trailers")
      return hints.elements + [response.trailers.map { "\($0.name): \($0.value)" }.joined()]
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter())
    let first = try await all(recorded)
    try recorded.finish()
    #expect(first == ["103 </style.css>; rel=preload; as=style", "X-Checksum: abc"])
    #expect(try await all(Cassette(folder.file(), mode: .never)) == first)
  }

  @Test func `the pieces of a stream and their pauses are replayed`() async throws {
    let folder = Folder()
    let mock = MockAdapter { request in
      let pieces = AsyncStream<Data> { continuation in
        for text in ["data: one\n\n", "data: two\n\n", "data: three\n\n"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      }
      return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: .stream(pieces), url: request.url)
    }
    func pieces(_ cassette: Cassette) async throws -> [String] {
      let response = try await connection("http://host/", cassette).get { $0.options.delivery = .streamed }
      return try await response.body.reduce(into: []) { $0.append(String(decoding: $1, as: UTF8.self)) }
    }
    let recorded = try Cassette(folder.file(), over: mock)
    let first = try await pieces(recorded)
    try recorded.finish()
    #expect(first.count == 3)
    #expect(try await pieces(Cassette(folder.file(), mode: .never)) == first)

    // As if the pieces had come after a second each.
    var archive = try HAR(Data(contentsOf: URL(filePath: folder.file())))
    for index in 0..<3 { archive.log.entries[0].response._pieces?[index].wait = index == 0 ? 0 : 1000 }
    try archive.encoded().write(to: URL(filePath: folder.file()))
    let clock = ManualClock()
    let replayed = try Cassette(folder.file(), mode: .never, pace: .recorded, clock: clock)
    let reading = Task { try await pieces(replayed) }
    for _ in 1...2 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
    }
    #expect(try await reading.value == first)
    #expect(clock.slept == [.seconds(1), .seconds(1)])
  }

  @Test func `a large body is a file, and is streamed`() async throws {
    let folder = Folder()
    let server = try LocalServer()
    let size = 20 << 20
    func hash(_ cassette: Cassette) async throws -> (Int, Int) {
      let response = try await connection(server.url, cassette).get("bytes/\(size)") { $0.options.delivery = .streamed }
      var (sum, count) = (0, 0)
      for try await piece in response.body {
        count += piece.count
        for byte in piece { sum = sum &* 31 &+ Int(byte) }
      }
      return (count, sum)
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter())
    let first = try await hash(recorded)
    try recorded.finish()
    #expect(first.0 == size)
    #expect(try folder.text().utf8.count < 200_000)
    #expect(try FileManager.default.attributesOfItem(atPath: folder.path + "/test/1-response.body")[.size] as? Int == size)
    let replayed = try await hash(Cassette(folder.file(), mode: .never))
    #expect(replayed == first)

    // The file goes with its recording.
    let again = try Cassette(folder.file(), over: CurlAdapter(), mode: .always)
    _ = try await connection(server.url, again).get("hello")
    try again.finish()
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/test/1-response.body"))
  }

  // MARK: archives of others

  @Test func `the export of Chromium is replayed`() async throws {
    try await expectReplay(
      """
      {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [{"startedDateTime":
      "2026-11-27T10:00:00.000Z", "id": "page_1", "title": "http://host/", "pageTimings": {"onContentLoad": 1, "onLoad": 2}}],
      "entries": [{"_connectionId": "1", "_initiator": {"type": "other"}, "_priority": "High", "_resourceType": "document",
      "cache": {}, "connection": "80", "pageref": "page_1", "request": {"method": "GET", "url": "http://host/a#top", "httpVersion":
      "http/2.0", "headers": [{"name": ":authority", "value": "host"}, {"name": "accept", "value": "*/*"}], "queryString": [],
      "cookies": [], "headersSize": -1, "bodySize": 0}, "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0",
      "headers": [{"name": "content-type", "value": "text/plain"}], "cookies": [], "content": {"size": 5, "mimeType":
      "text/plain", "text": "aGVsbG8=", "encoding": "base64"}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
      "_transferSize": 123, "_error": null}, "serverIPAddress": "127.0.0.1", "startedDateTime": "2026-11-27T10:00:00.000Z",
      "time": 1.5, "timings": {"blocked": 0.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.1, "wait": 0.5, "receive": 0.4,
      "_blocked_queueing": 0.2}}]}}
      """)
  }

  @Test func `the export of Firefox is replayed`() async throws {
    try await expectReplay(
      """
      {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "140.0"}, "browser": {"name": "Firefox", "version":
      "140.0"}, "pages": [{"id": "page_1", "pageTimings": {"onContentLoad": 1, "onLoad": 2}, "startedDateTime":
      "2026-11-27T10:00:00.000+01:00", "title": "http://host/"}], "entries": [{"startedDateTime": "2026-11-27T10:00:00.000+01:00",
      "request": {"bodySize": 0, "method": "GET", "url": "http://host/a", "httpVersion": "HTTP/1.1", "headers": [{"name": "Host",
      "value": "host"}], "cookies": [], "queryString": [], "headersSize": 300}, "response": {"status": 200, "statusText": "OK",
      "httpVersion": "HTTP/1.1", "headers": [{"name": "Content-Length", "value": "5"}], "cookies": [], "content": {"mimeType":
      "text/plain", "size": 5, "text": "hello"}, "redirectURL": "", "headersSize": 100, "bodySize": 105}, "cache": {}, "timings":
      {"blocked": 0, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 1, "receive": 0}, "time": 1, "_securityState":
      "insecure", "serverIPAddress": "127.0.0.1", "connection": "80", "pageref": "page_1"}]}}
      """)
  }

  private func expectReplay(_ archive: String) async throws {
    let folder = Folder()
    try folder.write(archive)
    let cassette = try Cassette(folder.file(), mode: .never)
    let response = try await connection("http://host/", cassette).get("a")
    #expect(response.status == .ok)
    #expect(try await response.text() == "hello")
    try cassette.finish()
  }

  // MARK: the standard stack

  @Test func `retries, redirects, cookies, a cache and a token refresh are replayed byte for byte`() async throws {
    let folder = Folder()
    let server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let target = head.split(separator: " ")[1]
        let isFirst = connection.index == 0
        let isRenewed = head.contains("Bearer second")
        let answer: (Int, [String], String) =
          switch target {
          case "/token": (200, ["Content-Type: application/json"], "{\"access_token\":\"second\",\"expires_in\":3600,\"token_type\":\"Bearer\"}")
          case "/login": (302, ["Set-Cookie: session=hunter2; Path=/; HttpOnly", "Location: /home"], "")
          case "/home": (200, ["Cache-Control: max-age=60", "Date: Fri, 27 Nov 2026 10:00:00 GMT"], head.contains("session=") ? "with a cookie" : "without")
          case "/private": isRenewed ? (200, [], "private") : (401, ["WWW-Authenticate: Bearer"], "")
          default: isFirst ? (503, ["Retry-After: 0", "Connection: close"], "") : (200, [], "flaky")
          }
        let fields = (answer.1 + ["Content-Length: \(answer.2.utf8.count)"]).map { $0 + "\r\n" }.joined()
        try connection.send("HTTP/1.1 \(answer.0) X\r\n\(fields)\r\n\(answer.2)")
        if fields.contains("close") { return }
      }
    }
    func all(_ cassette: Cassette) async throws -> [String] {
      let refresh = BearerTokenSource(server: server.url, over: cassette)
      let connection = try connection(
        server.url, cassette, .standard(authorization: refresh.middleware, cookies: CookieJar()))
      var shown: [String] = []
      for path in ["flaky", "login", "home", "private"] {
        let response = try await connection.get(path)
        shown.append("\(response.status.code) \(response.redirects.count) \(response.retries) \(try await response.text())")
      }
      return shown
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter())
    let first = try await all(recorded)
    try recorded.finish()
    #expect(first == ["200 0 1 flaky", "200 1 0 with a cookie", "200 0 0 with a cookie", "200 0 0 private"])
    server.stop()
    let replayed = try Cassette(folder.file(), mode: .never)
    #expect(try await all(replayed) == first)
    try replayed.finish()
    let bytes = try folder.everything()
    for secret in ["hunter2", "first", "second"] { #expect(!bytes.contains(secret), "\(secret)") }
    #expect(bytes.contains("session=[secret]; Path=/; HttpOnly") && bytes.contains("Bearer [secret]"))
  }

  /// A token that the server refuses, and another one by a refresh.
  private struct BearerTokenSource {
    let server: String
    let cassette: Cassette

    init(server: String, over cassette: Cassette) { (self.server, self.cassette) = (server, cassette) }

    var middleware: any Middleware {
      let (server, cassette) = (server, cassette)
      return BearerRefresh(token: "first") {
        struct Answer: Decodable { let access_token: String }
        let connection = try Connection(server, adapter: cassette)
        return try await connection.post("token", body: .form(["refresh_token": "hunter2"])).decode(Answer.self).access_token
      }
    }
  }

  private final class BearerRefresh: Middleware {
    private let token: Mutex<String>
    private let refresh: @Sendable () async throws -> String

    init(token: String, _ refresh: @escaping @Sendable () async throws -> String) {
      self.token = Mutex(token)
      self.refresh = refresh
    }

    func handle(_ request: Request, next: Next) async throws -> Response {
      func send() async throws -> Response {
        var request = request
        request.headers[.authorization] = "Bearer \(token.withLock { $0 })"
        return try await next(request)
      }
      let response = try await send()
      guard response.status == .unauthorized else { return response }
      let renewed = try await refresh()
      token.withLock { $0 = renewed }
      return try await send()
    }
  }
}
