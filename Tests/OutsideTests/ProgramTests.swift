import Faraday
import FaradayCurl
import FaradayTesting
import Foundation
import Synchronization
import Testing

@Suite struct ProgramTests {
  @Test(arguments: Over.allCases) func `a REST client has tokens, pages and typed errors`(over: Over) async throws {
    let server = try MockServer { request in
      guard request.headers[.authorization] == "Bearer new" else { return .status(.unauthorized) }
      switch request.line {
      case "GET /v1/articles?per_page=2":
        let next = "</v1/articles?per_page=2&page=2>; rel=\"next\""
        return .status(.ok, headers: [.link: next], body: #"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#)
      case "GET /v1/articles?per_page=2&page=2": return .status(.ok, body: #"[{"id":3,"title":"c"}]"#)
      case "GET /v1/articles/a%2Fb": return .status(.ok, body: #"{"id":9,"title":"slash"}"#)
      default: return .status(.notFound, body: #"{"code":"gone"}"#)
      }
    }
    let logins = Mutex(0)
    let articles = try Articles(server.url + "/v1/", adapter: over.adapter) {
      logins.withLock { $0 += 1 }
      return "new"
    }
    #expect(try await articles.all().map(\.id) == [1, 2, 3])
    #expect(try await articles.article("a/b").title == "slash")
    await #expect(throws: Articles.Problem(code: "gone")) { try await articles.article("7") }
    #expect(logins.withLock { $0 } == 1)
  }

  @Test(arguments: Over.allCases) func `eight downloads run concurrently`(over: Over) async throws {
    let server = try LocalServer()
    let folder = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sizes = (1...8).map { 300_000 * $0 }
    try await download(sizes.map { "bytes/\($0)" }, from: Connection(server.url + "/", adapter: over.adapter), into: folder)
    for size in sizes {
      let data = try Data(contentsOf: folder.appending(path: "bytes-\(size)"))
      #expect(data.count == size && data.last == LocalServer.patternByte(at: size - 1))
    }
  }

  @Test(arguments: Over.allCases) func `a token stream delivers each token as it arrives`(over: Over) async throws {
    let (isRead, seen) = AsyncStream<Void>.makeStream()
    // One token is sent; the second only when the first was read.
    let server = try RawServer { connection in
      let head = try connection.readHead()
      _ = try connection.read(exactly: #"{"prompt":"hi","stream":true}"#.utf8.count)
      guard head.hasPrefix("POST /complete ") else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
      try connection.send("data: {\"token\":\"Hel\"}\n\n")
      let wait = DispatchSemaphore(value: 0)
      Task {
        for await _ in isRead { break }
        wait.signal()
      }
      wait.wait()
      try connection.send("data: {\"token\":\"lo\"}\n\ndata: [DONE]\n\n")
    }
    defer { server.stop() }
    var words: [String] = []
    for try await token in tokens(of: "hi", from: try Connection(server.url + "/", adapter: over.adapter)) {
      words.append(token)
      seen.yield()
    }
    #expect(words == ["Hel", "lo"])
  }

  /// The size of the uploaded file: 64 MiB, or as many bytes as FARADAY_UPLOAD_SIZE says. It is sparse.
  private static let uploadSize = ProcessInfo.processInfo.environment["FARADAY_UPLOAD_SIZE"].flatMap { UInt64($0) } ?? 64 << 20

  @Test(arguments: Over.allCases) func `a large multipart upload reports its progress`(over: Over) async throws {
    struct Uploaded: Decodable { let bytes: UInt64 }
    let server = try LocalServer()
    let path = FileManager.default.temporaryDirectory.appending(path: "video-\(UUID())").path
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: Self.uploadSize)
    let last = Mutex(0.0)
    let response = try await upload(
      path, titled: "Ada", to: Connection(server.url + "/", adapter: over.adapter, middleware: [.multipart]),
      progress: { now in last.withLock { $0 = now } })
    #expect(try await response.decode(Uploaded.self).bytes > Self.uploadSize)
    #expect(last.withLock { $0 } == 1)
  }

  @Test(arguments: Over.allCases) func `a crawl of two thousand URLs completes`(over: Over) async throws {
    let server = try LocalServer()
    let statuses = [200, 204, 404, 418, 503]
    let paths = (0..<1999).map { "status/\(statuses[$0 % 5])?n=\($0)" } + ["reset"]
    let results = await crawl(paths, over: try Connection(server.url + "/", adapter: over.adapter), atOnce: 50)
    #expect(results.count == 2000)
    for (path, result) in results where path != "reset" {
      #expect("\(try result.get())" == path.dropFirst(7).prefix(3), "\(path)")
    }
    let reset = try #require(results["reset"])
    #expect(throws: TransportError.self) { try reset.get() }
  }

  @Test(arguments: Over.allCases) @MainActor func `callbacks run on the main actor`(over: Over) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: over.adapter)
    let screen = Screen()
    _ = try await screen.load("status/204", from: connection).value
    while screen.text == "…" { await Task.yield() }
    #expect(screen.text == "204")
    _ = try await screen.save(Data(count: 100_000), to: connection).value
    while screen.progress < 1 { await Task.yield() }
    await #expect(throws: TransportError.self) { try await screen.load("reset", from: connection).value }
    while screen.text == "204" { await Task.yield() }
    #expect(screen.text.contains("/reset"))
  }

  @Test func `a part of a program can be given its connection`() async throws {
    let mock = MockAdapter()
    mock.stub(
      where: { $0.url.absoluteString == "https://weather.test/weather?city=Oslo" },
      respond: { Response(status: .ok, body: .text(#"{"degrees": -7}"#), url: $0.url) })
    let weather = Weather(connection: try Connection("https://weather.test/", adapter: mock))
    #expect(try await weather.degrees(in: "Oslo") == -7)
    #expect(mock.recorded.count == 1)
  }
}
