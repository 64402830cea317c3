import Faraday
import FaradayTesting
import Synchronization
import TestSupport
import Testing

@testable import FaradayStreams

@Suite struct DownloadTests {
  let folder: DownloadFolder
  static let content: [UInt8] = (0..<100_000).map { LocalServer.patternByte(at: $0) }

  init() throws { folder = try DownloadFolder() }

  private var quick: DownloadOptions {
    var options = DownloadOptions()
    options.initialDelay = .zero
    return options
  }

  @discardableResult
  private func download(
    _ server: RangeServer, over adapter: TestedAdapter = .curl, resuming: DownloadOptions.Resuming = .ifUnchanged,
    middleware: [any Middleware] = [], edit: (inout DownloadOptions) -> Void = { _ in }
  ) async throws -> Download {
    var options = quick
    edit(&options)
    return try await Connection(server.url, adapter: adapter.adapter, middleware: middleware).download(
      to: folder.file, resuming: resuming, options: options)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a file is there when it is whole, with nothing beside it`(adapter: TestedAdapter) async throws {
    let server = try RangeServer(Self.content)
    let seen = Log<DownloadProgress>()
    let result = try await Connection(server.url, adapter: adapter.adapter).download(
      to: folder.file, progress: { seen.append($0) })
    #expect(folder.bytes == Self.content)
    #expect(folder.names == ["file"])
    #expect(result.size == 100_000 && result.resumed == 0 && result.requestCount == 1 && !result.isVerified)
    #expect(seen.elements.last?.bytes == 100_000 && seen.elements.last?.total == 100_000 && seen.elements.last?.fraction == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `what breaks off goes on at the first byte that is missing`(adapter: TestedAdapter) async throws {
    var random = SeededGenerator(seed: 16)
    let cuts = (0..<100).map { _ in Int.random(in: 1...1500, using: &random) }
    let server = try RangeServer(Self.content) {
      $0.cuts = cuts
      $0.fields = ["Repr-Digest: sha-256=:\(Data(SHA256.hash(Self.content)).base64EncodedString()):"]
    }
    let result = try await download(server, over: adapter)
    #expect(folder.bytes == Self.content)
    #expect(server.served == Self.content.count, "bytes were fetched twice")
    #expect(server.ranges.count == 101 && result.requestCount == 101 && result.isVerified)
    #expect(server.ranges[1] == "bytes=\(cuts[0])-")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a later call goes on where an earlier one was cut`(adapter: TestedAdapter) async throws {
    let server = try RangeServer(Self.content) { $0.cuts = [60_000] }
    await #expect(throws: TransportError.self) { try await download(server, over: adapter) { $0.maximumFailures = 0 } }
    #expect(folder.part == Array(Self.content[..<60_000]))
    #expect(folder.bytes == nil)
    let result = try await download(server, over: adapter)
    #expect(folder.bytes == Self.content && result.resumed == 60_000 && server.served == 100_000)
    #expect(folder.names == ["file"])
  }

  @Test func `a part is not continued where that is not wanted`() async throws {
    let server = try RangeServer(Self.content) { $0.cuts = [60_000] }
    await #expect(throws: TransportError.self) { try await download(server) { $0.maximumFailures = 0 } }
    try await download(server, resuming: .never)
    #expect(folder.bytes == Self.content && server.ranges == [nil, nil])
  }

  @Test func `a part of another URL, or one that nobody knows, is not continued`() async throws {
    let server = try RangeServer(Self.content) { $0.cuts = [60_000] }
    await #expect(throws: TransportError.self) { try await download(server) { $0.maximumFailures = 0 } }
    let other = try RangeServer(Array(Self.content.reversed()))
    try await download(other)
    #expect(folder.bytes == Self.content.reversed() && other.ranges == [nil])
    try folder.write(Array("left by somebody".utf8), to: "file.part")
    try await download(server)
    #expect(folder.bytes == Self.content)
  }

  @Test func `what has changed is fetched from its first byte`() async throws {
    let server = try RangeServer(Self.content) { $0.cuts = [60_000] }
    await #expect(throws: TransportError.self) { try await download(server) { $0.maximumFailures = 0 } }
    let changed = Array(Self.content.reversed())
    server.state.withLock { ($0.content, $0.validator) = (changed, "ETag: \"v2\"") }
    let result = try await download(server)
    #expect(folder.bytes == changed && result.resumed == 0)
    #expect(server.ranges.last == "bytes=60000-")
  }

  @Test(arguments: [
    "ETag: W/\"v1\"", "X-Nothing: 1", "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT",
    "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nDate: Mon, 02 Nov 2026 10:00:00 GMT",
    "ETag: W/\"v1\"\r\nLast-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nDate: Mon, 02 Nov 2026 11:00:00 GMT",
    "ETag: \"v1\"\r\nAccept-Ranges: none",
  ])
  func `no range is asked for without a strong validator, or where there are none`(validator: String) async throws {
    let server = try RangeServer(Self.content) {
      $0.validator = validator
      $0.cuts = [60_000]
    }
    try await download(server)
    #expect(folder.bytes == Self.content && server.ranges == [nil, nil])
  }

  @Test func `a date that is a strong validator is one`() async throws {
    let modified = "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT"
    let server = try RangeServer(Self.content) {
      $0.validator = modified
      $0.fields = ["Date: Mon, 02 Nov 2026 10:00:01 GMT"]
      $0.cuts = [60_000]
    }
    try await download(server)
    #expect(folder.bytes == Self.content && server.ranges == [nil, "bytes=60000-"])
  }

  @Test func `a server without ranges that always breaks off is not asked for ever`() async throws {
    let server = try RangeServer(Self.content) {
      $0.hasRanges = false
      $0.cuts = Array(repeating: 50_000, count: 100)
    }
    await #expect(throws: TransportError.self) { try await download(server) { $0.maximumFailures = 3 } }
    #expect(server.ranges.count == 4)
  }

  @Test func `the delay grows while nothing new comes, and is drawn at random`() async throws {
    let server = try RangeServer(Self.content) { $0.cuts = [10, 0, 0, 5] }
    let clock = ManualClock()
    async let result = download(server) {
      $0.initialDelay = .seconds(1)
      $0.maximumDelay = .seconds(3)
      $0.random = { 0.5 }
      $0.clock = clock
    }
    for _ in 0..<4 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(3))
    }
    _ = try await result
    #expect(clock.slept == [.seconds(0.5), .seconds(1), .seconds(1.5), .seconds(0.5)])
  }

  @Test func `a cancelled one leaves its part for the next`() async throws {
    let server = try RangeServer(Self.content) { $0.cuts = [60_000] }
    let clock = ManualClock()
    let task = Task { try await download(server) { $0.clock = clock } }
    await clock.sleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.part?.count == 60_000)
    #expect(try await download(server).resumed == 60_000)
  }

  @Test func `an unavailable server is asked again in the middle, and not at the start`() async throws {
    let busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
    let first = try RangeServer(Self.content) { $0.answer = { number, _ in number == 1 ? busy : nil } }
    await #expect(throws: UnexpectedStatus.self) { try await download(first) }
    #expect(folder.names.isEmpty)
    let later = try RangeServer(Self.content) {
      $0.cuts = [60_000]
      $0.answer = { number, _ in number == 2 ? busy : nil }
    }
    try await download(later)
    #expect(folder.bytes == Self.content && later.served == 100_000)
  }

  @Test func `a status that is no success is thrown, and leaves nothing`() async throws {
    let server = try RangeServer(Self.content) {
      $0.answer = { _, _ in "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone" }
    }
    let error = await #expect(throws: UnexpectedStatus.self) { try await download(server) }
    #expect(error?.status == .notFound)
    #expect(folder.names.isEmpty)
  }

  @Test func `several files, one of which is not there`() async throws {
    let server = try RangeServer(Self.content) {
      $0.answer = { _, head in head.contains("/missing") ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" : nil }
    }
    let seen = Log<DownloadsProgress>()
    let items = ["a", "missing", "b", "c"].map { DownloadItem("/" + $0, to: folder.path + "/" + $0) }
    let results = try await Connection(server.url, adapter: TestedAdapter.curl.adapter).downloads(
      items, maximumConcurrent: 2, options: quick, progress: { seen.append($0) })
    #expect(results.map { (try? $0.get())?.size } == [100_000, nil, 100_000, 100_000])
    #expect(folder.names == ["a", "b", "c"])
    #expect(seen.elements.last?.finished == 4 && seen.elements.map(\.bytes).max() == 300_000)
  }
}
