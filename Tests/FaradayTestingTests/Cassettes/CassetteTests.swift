import Faraday
import FaradayCache
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
      return names.compactMap { try? Data(contentsOf: URL(filePath: file($0))) }.map { String(decoding: $0, as: UTF8.self) }
        .joined()
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

  /// A mock that responds with the number of the request.
  private func counting() -> MockAdapter {
    let requests = Log<Void>()
    return MockAdapter { _ in
      requests.append(())
      return .text("\(requests.elements.count)")
    }
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
    // The folder exists, so that the first name leads to a file.
    try FileManager.default.createDirectory(atPath: folder.file("test"), withIntermediateDirectories: true)
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
    let recorded = try Cassette(folder.file(), over: mock, mode: .once, matching: matching)
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
      try await problem { try await $0.post("users", body: .text("{\"name\": \"Bob\"}")) }.contains("the body differs at byte 10")
    )
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
    let recorded = try Cassette(folder.file(), over: mock, mode: .once)
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
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
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
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    #expect(try await read(recorded) == ["partial", "truncatedResponse"])
    try recorded.finish()
    #expect(try await read(Cassette(folder.file(), mode: .never)) == ["partial", "truncatedResponse"])
  }

  // MARK: modes

  @Test func `modes decide between recording and replaying`() async throws {
    let folder = Folder()
    let mock = counting()
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
    let mock = counting()
    let recorded = try Cassette(folder.file(), over: mock, mode: .once)
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
      let cassette = try Cassette(folder.file(name), over: mock, mode: .once)
      _ = try await connection("http://host/", cassette).get("a")
      _ = try await connection("http://host/", cassette).post("b", body: "text")
      try cassette.finish()
    }
    func lines(_ name: String) throws -> [Substring] {
      try folder.text(name).split(separator: "\n").filter {
        !$0.contains("\"startedDateTime\"") && !$0.contains(#/"(time|wait|receive|blocked)" : /#)
      }
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
        let body = Body.stream(
          AsyncStream { continuation in
            for text in ["a", "b"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
          })
        shown.append(try await connection.post("echo", body: body).text())
        shown.append(try await connection.head("hello").headers[.contentLength] ?? "")
        return shown
      }
      let name = "\(index).har"
      let recorded = try Cassette(folder.file(name), over: adapter, mode: .once)
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
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
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
    let recorded = try Cassette(folder.file(), over: mock, mode: .once)
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
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    let first = try await hash(recorded)
    try recorded.finish()
    #expect(first.0 == size)
    // The sizes of the pieces, at most 10,000, and not the body.
    #expect(try folder.text().utf8.count < 4 << 20)
    #expect(try FileManager.default.attributesOfItem(atPath: folder.path + "/test/1-response.body")[.size] as? Int == size)
    let replayed = try await hash(Cassette(folder.file(), mode: .never))
    #expect(replayed == first)

    // The file goes with its recording.
    let again = try Cassette(folder.file(), over: CurlAdapter(), mode: .always)
    _ = try await connection(server.url, again).get("hello")
    try again.finish()
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/test/1-response.body"))
  }

  // MARK: secrets

  @Test(arguments: [
    ("application/json", "{\"token\":\"hunter2\",\"a\":1}"), ("application/x-www-form-urlencoded", "a=1&token=hunter2"),
    ("text/event-stream", "data: {\"token\":\"hunter2\"}\n\ndata: {\"a\":1}\n\n"),
    ("text/event-stream", "data: 5\" disk\n\ndata: {\"token\":\"hunter2\"}\n\n"),
    ("application/json", "{\"note\":\"a\nb\",\"token\":\"hunter2\"}"),
    ("application/x-ndjson", "{\"a\":1}\n{\"token\":\"hunter2\"}\n"),
    ("application/x-ndjson", "{\"a\":\"cut\n{\"token\":\"hunter2\n{\"token\":\"hunter2\"}\n"),
    ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nhunter2\r\n--x--\r\n"),
    ("text/plain; charset=iso-8859-1", "{\"na\u{EF}ve\":1,\"token\":\"hunter2\"}"),
  ])
  func `bodies are redacted, and replayed with their new length`(_ type: String, _ text: String) async throws {
    let folder = Folder()
    let bytes = type.contains("8859") ? Data(text.unicodeScalars.map { UInt8($0.value) }) : Data(text.utf8)
    let mock = MockAdapter { request in
      .status(
        .ok, headers: [.contentType: type, .contentLength: "\(bytes.count)"],
        body: .stream(
          AsyncStream {
            for byte in bytes { $0.yield(Data([byte])) }
            $0.finish()
          }, length: Int64(bytes.count)))
    }
    func send(_ cassette: Cassette) async throws -> Response {
      try await connection("http://host/", cassette).post("a", headers: ["Content-Type": type], body: .data(bytes))
    }
    let recorded = try Cassette(folder.file(), over: mock, mode: .once)
    #expect(try await send(recorded).body.data == bytes)
    try recorded.finish()
    #expect(try !folder.everything().contains("hunter2"))
    let archive = try HAR(Data(contentsOf: URL(filePath: folder.file())))
    for text in archive.log.entries.flatMap({ [$0.request.postData?.text, $0.response.content?.text] }).compactMap({ $0 }) {
      #expect(!String(decoding: Data(base64Encoded: text) ?? Data(), as: UTF8.self).contains("hunter2"))
    }
    let replayed = try Cassette(folder.file(), mode: .never, matching: .init(comparesBodies: true))
    let response = try await send(replayed)
    let body = try #require(response.body.data)
    #expect(String(decoding: body, as: UTF8.self).contains("[secret]"))
    #expect(response.headers[.contentLength] == "\(body.count)")
    try replayed.finish()
  }

  @Test func `text that is too large to be searched for secrets is an error`() async throws {
    let folder = Folder()
    let large = String(repeating: "x", count: RecordedBody.maximumTextSize + 1)
    let cassette = try Cassette(folder.file(), over: MockAdapter(.text(large)), mode: .once)
    _ = try await connection("http://host/", cassette).get()
    let error = #expect(throws: CassetteError.self) { try cassette.finish() }
    #expect("\(try #require(error))".contains("cannot be searched for secrets"))
  }

  @Test func `compressed responses are recorded decoded`() async throws {
    let folder = Folder()
    let server = try LocalServer()
    func text(_ cassette: Cassette) async throws -> String {
      try await connection(server.url, cassette, .standard).get("gzip/text").text()
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    #expect(try await text(recorded) == "Hello, gzip!")
    try recorded.finish()
    #expect(try folder.text().contains("Hello, gzip!"))
    #expect(try await text(Cassette(folder.file(), mode: .never)) == "Hello, gzip!")

    // Without decompression the bytes cannot be searched for secrets.
    let raw = try Cassette(folder.file(), over: CurlAdapter(), mode: .always)
    _ = try await connection(server.url, raw).get("gzip/text")
    let error = #expect(throws: CassetteError.self) { try raw.finish() }
    #expect("\(try #require(error))".contains("compressed text"))
  }

  @Test func `a compressed request body is not recorded`() async throws {
    let folder = Folder()
    let server = try LocalServer()
    let matching = Cassette.Matching(comparesBodies: true)
    func send(_ cassette: Cassette) async throws {
      _ = try await connection(server.url, cassette).post(
        "hello", body: .data(Data("{\"token\":\"hunter2\"}".utf8), contentType: .json)
      ) {
        try $0.compressBody()
      }
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once, matching: matching)
    try await send(recorded)
    try recorded.finish()
    let archive = try HAR(Data(contentsOf: URL(filePath: folder.file())))
    #expect(archive.log.entries[0].request.postData?.text == "[secret]")
    let replayed = try Cassette(folder.file(), mode: .never, matching: matching)
    try await send(replayed)
    try replayed.finish()
  }

  @Test(arguments: [
    (
      "application/json", #"{"code":404,"session":{"id":"x","ok":true},"token":null}"#,
      #"{"code":0,"session":{"id":"[secret]","ok":true},"token":null}"#
    ),
    (
      "application/json", #"{"next":"https://h/x?token=hunter2","home":"https://h/#top"}"#,
      #"{"next":"https://h/x?token=[secret]","home":"https://h/#top"}"#
    ),
    ("text/html", "<a href=\"/x?a=1\">var a=1; key=2</a>", "<a href=\"/x?a=1\">var a=1; key=2</a>"),
    ("text/plain", "SID=1\r\nAuth=hunter2", "SID=1\r\nAuth=[secret]"),
  ])
  func `redaction keeps what a replay decodes`(_ type: String, _ text: String, _ shown: String) async throws {
    let folder = Folder()
    let mock = MockAdapter(.status(.ok, headers: [.contentType: type], body: .text(text)))
    let cassette = try Cassette(folder.file(), over: mock, mode: .once)
    _ = try await connection("http://host/", cassette).get()
    try cassette.finish()
    let archive = try HAR(Data(contentsOf: URL(filePath: folder.file())))
    #expect(archive.log.entries[0].response.content?.text == shown)
  }

  @Test func `credentials of an unknown scheme are redacted as a whole`() throws {
    let redaction = Redaction(Secrets(), and: .none)
    for (value, shown) in [
      ("Bearer a", "Bearer [secret]"), ("token=a, user=b", "[secret]"), ("a b", "[secret]"), ("a", "[secret]"),
    ] {
      #expect(redaction.value(of: HTTPField(name: .authorization, value: value)) == shown)
    }
  }

  @Test func `the connection decides which names are secret`() async throws {
    let folder = Folder()
    var secrets = Secrets()
    secrets.remove("code")
    let cassette = try Cassette(folder.file(), over: MockAdapter(.json(["code": "plain"])), mode: .once)
    _ = try await connection("http://host/", cassette, secrets: secrets).get()
    try cassette.finish()
    #expect(try folder.text().contains("plain"))
  }

  @Test func `a large body without a type is searched if it is text`() async throws {
    let folder = Folder()
    let text = "{\"token\":\"hunter2\",\"a\":\"" + String(repeating: "x", count: 100_000) + "\"}"
    let binary = Data(repeating: 0xFF, count: 100_000)
    let pieces = { (data: Data) in
      Body.stream(
        AsyncStream { continuation in
          for start in stride(from: 0, to: data.count, by: 1000) {
            continuation.yield(data[start..<min(start + 1000, data.count)])
          }
          continuation.finish()
        })
    }
    let cassette = try Cassette(
      folder.file(), over: MockAdapter(.status(.ok, body: pieces(Data(text.utf8))), .status(.ok, body: pieces(binary))),
      mode: .once)
    for _ in 1...2 { _ = try await connection("http://host/", cassette).get() }
    try cassette.finish()
    #expect(try !folder.everything().contains("hunter2"))
    let replayed = try Cassette(folder.file(), mode: .never)
    _ = try await connection("http://host/", replayed).get()
    #expect(try await connection("http://host/", replayed).get().body.data == binary)
  }

  // MARK: hostile and unusual archives

  @Test func `a recording that is not finished leaves the files of the old one`() async throws {
    let folder = Folder()
    let server = try LocalServer()
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    _ = try await connection(server.url, recorded).get("bytes/200000")
    try recorded.finish()
    do {
      let abandoned = try Cassette(folder.file(), over: CurlAdapter(), mode: .always)
      _ = try await connection(server.url, abandoned).get("bytes/100000")
    }
    let replayed = try Cassette(folder.file(), mode: .never)
    #expect(try await connection(server.url, replayed).get("bytes/200000").body.data?.count == 200_000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/test") == ["1-response.body"])
    // Later recordings have other files.
    let new = try Cassette(folder.file(), over: CurlAdapter(), mode: .new)
    _ = try await connection(server.url, new).get("bytes/300000")
    try new.finish()
    let both = try Cassette(folder.file(), mode: .never)
    for size in [200_000, 300_000] {
      #expect(try await connection(server.url, both).get("bytes/\(size)").body.data?.count == size)
    }
  }

  @Test func `a recording that cannot be written leaves the files of the old one, and finishing twice writes the same`()
    async throws
  {
    let folder = Folder()
    let server = try LocalServer()
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    _ = try await connection(server.url, recorded).get("bytes/200000")
    try recorded.finish()
    let text = try folder.text()
    try recorded.finish()
    #expect(try folder.text() == text)

    let large = String(repeating: "x", count: RecordedBody.maximumTextSize + 1)
    let broken = try Cassette(
      folder.file(), over: MockAdapter(.status(.ok, body: .data(Data(count: 100_000))), .text(large)), mode: .always)
    for _ in 1...2 { _ = try await connection(server.url, broken).get("bytes/200000") }
    #expect(throws: CassetteError.self) { try broken.finish() }
    let replayed = try Cassette(folder.file(), mode: .never)
    #expect(try await connection(server.url, replayed).get("bytes/200000").body.data?.count == 200_000)
  }

  @Test func `a cancelled exchange is replayed until it is cancelled`() async throws {
    let folder = Folder()
    func cancel(_ cassette: Cassette, _ isReady: @escaping () -> Bool) async throws {
      let request = Task { try await connection("http://host/", cassette).get() }
      await until(isReady)
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      try cassette.finish()
    }
    let mock = MockAdapter(.text("x").stalled(after: nil))
    try await cancel(Cassette(folder.file(), over: mock, mode: .once)) { !mock.recorded.isEmpty }
    let replayed = try Cassette(folder.file(), mode: .never)
    try await cancel(replayed) { (try? replayed.finish()) != nil }
  }

  @Test func `the export of a browser is compared with its secrets redacted, and not decoded again`() async throws {
    let folder = Folder()
    try folder.write(
      """
      {"log": {"creator": {"name": "Firefox"}, "entries": [{"request": {"method": "GET", "url": "http://host/?code=hunter2"},
        "response": {"status": 200, "headers": [{"name": "content-encoding", "value": "gzip"}, {"name": "content-length", "value":
        "25"}], "content": {"text": "decoded"}}}]}}
      """)
    let cassette = try Cassette(folder.file(), mode: .never)
    let error = #expect(throws: CassetteError.self) { try cassette.finish() }
    #expect(error?.reason == .unused(["GET http://host/?code=[secret]"]))
    #expect(try await connection("http://host/", cassette, .standard).get("?code=hunter2").text() == "decoded")
    try cassette.finish()
  }

  @Test func `a body that was not read to its end is replayed as truncated`() async throws {
    let folder = Folder()
    let server = try MockServer(.text(String(repeating: "x", count: 100_000)))
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    do {
      let response = try await connection(server.url, recorded).get { $0.options.delivery = .streamed }
      var body = response.body.makeAsyncIterator()
      #expect(try await body.next()?.isEmpty == false)
      try recorded.finish()
    }
    let replayed = try Cassette(folder.file(), mode: .never)
    let error = await #expect(throws: TransportError.self) { try await connection(server.url, replayed).get() }
    #expect(error?.code == .truncatedResponse)
  }

  @Test func `an archive with extreme numbers is replayed`() async throws {
    let folder = Folder()
    let fields = (0..<70_000).map { _ in "{\"name\": \"a\", \"value\": \"b\"}" }.joined(separator: ",")
    try folder.write(
      """
      {"log": {"entries": [{"time": 1e300, "request": {"method": "GET", "url": "http://host/", "headers": [\(fields)]},
        "response": {"status": 200, "headers": [\(fields), {"name": "x", "value": "a\\r\\nb"}, {"name": ":status"}],
          "content": {"text": "hello", "size": -1}, "_pieces": [{"size": -5, "wait": -1e300}, {"size": 9223372036854775807, "wait": 1e300}]}},
       {"request": {"method": "GET", "url": "http://host/b"}, "response": {"status": -7}}]}}
      """)
    let cassette = try Cassette(folder.file(), mode: .never, matching: .init(headers: [.accept, .accept]))
    let response = try await connection("http://host/", cassette).get { $0.options.delivery = .streamed }
    #expect(try await response.body.utf8Text() == "hello")
    await #expect(throws: TransportError.self) { try await connection("http://host/", cassette).get("b") }
    try cassette.finish()
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
          case "/token":
            (
              200, ["Content-Type: application/json"],
              "{\"access_token\":\"second\",\"expires_in\":3600,\"token_type\":\"Bearer\"}"
            )
          case "/login": (302, ["Set-Cookie: session=hunter2; Path=/; HttpOnly", "Location: /home"], "")
          case "/home":
            (
              200, ["Cache-Control: private, max-age=3600"],
              head.contains("session=") ? "with a cookie" : "without"
            )
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
        server.url, cassette, .standard(authorization: refresh.middleware, cookies: CookieJar(), cache: HTTPCache()))
      var shown: [String] = []
      for path in ["flaky", "login", "home", "private"] {
        let response = try await connection.get(path)
        shown.append("\(response.status.code) \(response.redirects.count) \(response.retries) \(try await response.text())")
      }
      return shown
    }
    let recorded = try Cassette(folder.file(), over: CurlAdapter(), mode: .once)
    let first = try await all(recorded)
    try recorded.finish()
    #expect(first == ["200 0 1 flaky", "200 1 0 with a cookie", "200 0 0 with a cookie", "200 0 0 private"])
    server.stop()
    let replayed = try Cassette(folder.file(), mode: .never)
    #expect(try await all(replayed) == first)
    try replayed.finish()
    // The cache has answered the second request.
    let archive = try HAR(Data(contentsOf: URL(filePath: folder.file())))
    #expect(archive.log.entries.filter { $0.request.url.hasSuffix("/home") }.count == 1)
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
