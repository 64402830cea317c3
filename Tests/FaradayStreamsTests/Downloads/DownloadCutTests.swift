import Faraday
import FaradayTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaradayStreams
import TestServers

/// Downloads over real connections that break off, and by processes that are killed.
@Suite struct DownloadCutTests {
  private func connection(_ server: RangeServer, _ adapter: TestedAdapter) throws -> Connection {
    try Connection(server.url + "/file", adapter: adapter.adapter)
  }

  private var policy: DownloadPolicy {
    var policy = DownloadPolicy()
    policy.random = { 0 }
    return policy
  }

  /// The size is that of the environment's `FARADAY_DOWNLOAD_MIB`, in mebibytes; 8 if it is not set. Debug builds hash 1 GiB in some
  /// minutes.
  @Test(arguments: TestedAdapter.allCases)
  func `a download that is cut about a hundred times is complete, and no byte is sent twice`(adapter: TestedAdapter) async throws
  {
    let size = (ProcessInfo.processInfo.environment["FARADAY_DOWNLOAD_MIB"].flatMap(Int.init) ?? 8) << 20
    let file = RangeServer.File(size: size)
    let expected = file.sha256
    let random = Mutex(SeededGenerator(seed: 7))
    // On average a hundredth of the file at a time. The last bytes are sent in one piece, so that it ends.
    let server = try RangeServer(file) { _, count in
      let cut = random.withLock { Int.random(in: 1...(size / 50), using: &$0) }
      return cut < count ? cut : nil
    }
    let folder = try TemporaryFolder()
    let clock = ContinuousClock()
    let start = clock.now
    let download = try await connection(server, adapter).download(
      to: folder.path + "/file", checksum: .sha256(expected), policy: policy)
    let time = clock.now - start
    #expect(download.size == Int64(size) && download.verified == [.sha256] && folder.names == ["file"])
    #expect(download.interruptions > 50 && download.interruptions == server.sent.count - 1)
    #expect(server.served == size)
    print("\(adapter): \(size) bytes, \(download.interruptions) cuts, \(server.served - size) bytes sent twice, \(time)")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a file that changes between two parts is downloaded again`(adapter: TestedAdapter) async throws {
    let server = try RangeServer(RangeServer.File(size: 100_000)) { index, _ in index < 2 ? 60_000 : nil }
    let folder = try TemporaryFolder()
    var once = policy
    once.retries = 0
    let error = await failure {
      _ = try await connection(server, adapter).download(to: folder.path + "/file", policy: once)
    }
    #expect((error as? TransportError)?.isInterruption == true && folder.names == ["file.part", "file.part.json"])
    let changed = RangeServer.File(size: 90_000, tag: "\"v2\"", seed: 0x55)
    server.replace(changed)
    let download = try await connection(server, adapter).download(
      to: folder.path + "/file", checksum: .sha256(changed.sha256), policy: policy)
    #expect(server.sent.map(\.status) == [200, 200, 206] && server.sent.map(\.start) == [0, 0, 60_000])
    #expect(download.size == 90_000 && download.resumed == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `cancelling closes the connection, and the next download resumes`(adapter: TestedAdapter) async throws {
    let file = RangeServer.File(size: 8 << 20)
    let server = try RangeServer(file)
    let folder = try TemporaryFolder()
    let target = try connection(server, adapter)
    var often = policy
    often.reportsPerSecond = .infinity
    let task = Task { [often] in
      try await target.download(
        to: folder.path + "/file", policy: often,
        progress: { progress in
          if progress.bytes > 1 << 20 { withUnsafeCurrentTask { $0?.cancel() } }
        })
    }
    let error = await failure { _ = try await task.value }
    #expect(error is CancellationError && folder.names == ["file.part", "file.part.json"])
    let count = FileManager.default.contents(atPath: folder.path + "/file.part")?.count ?? 0
    #expect(count > 1 << 20 && count < 8 << 20)
    let download = try await target.download(to: folder.path + "/file", checksum: .sha256(file.sha256))
    #expect(download.resumed == Int64(count) && download.size == 8 << 20)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a cross-origin redirect gets no credentials, neither at first nor when resuming`(
    adapter: TestedAdapter
  ) async throws {
    let file = RangeServer.File(size: 100_000)
    let server = try RangeServer(file) { index, _ in index < 3 ? 20_000 : nil }
    let first = try MockServer { _ in .redirect(to: server.url + "/moved") }
    let folder = try TemporaryFolder()
    let connection = try Connection(
      first.url + "/file", headers: ["Authorization": "Bearer SECRET"], adapter: adapter.adapter, middleware: .standard)
    let download = try await connection.download(
      to: folder.path + "/file", checksum: .sha256(file.sha256), policy: policy)
    #expect(download.interruptions == 3 && server.served == 100_000)
    #expect(server.sent.allSatisfy { !$0.head.contains("SECRET") })
    #expect(first.recorded.map { $0.headers[.authorization] } == Array(repeating: "Bearer SECRET", count: 4))
  }

  @Test func `a download far behind a server without backpressure is complete`() async throws {
    let hasEnded = Gate()
    let file = RangeServer.File(size: 100 << 20)
    let server = try RawServer { connection in
      defer { hasEnded.open() }
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nETag: \(file.tag)\r\nContent-Length: \(file.size)\r\n\r\n")
      for start in stride(from: 0, to: file.size, by: 1 << 20) { try connection.send(file.bytes(start..<(start + 1 << 20))) }
    }
    defer { server.stop() }
    let folder = try TemporaryFolder()
    var often = policy
    often.reportsPerSecond = .infinity
    let download = try await Connection(server.url + "/file", adapter: TestedAdapter.urlSession.adapter).download(
      to: folder.path + "/file", policy: often,
      progress: { progress in
        // The first piece waits until the server has sent all.
        if progress.bytes < 1 << 20 { hasEnded.wait() }
      })
    #expect(download.size == Int64(file.size) && download.interruptions == 0)
    let handle = try #require(FileHandle(forReadingAtPath: folder.path + "/file"))
    for start in stride(from: 0, to: file.size, by: 1 << 20) {
      #expect(try handle.read(upToCount: 1 << 20) == Data(file.bytes(start..<(start + 1 << 20))), "at \(start)")
    }
  }

  #if os(Linux)
  @Test func `a killed process leaves a part that the next process resumes`() async throws {
    let program = try BuiltProduct.named("downloader").path
    let file = RangeServer.File(size: 4 << 20)
    // The first stops in the middle, and waits; the others get the rest.
    let (stalled, release) = (Gate(), Gate())
    let server = try RangeServer(file) { index, _ in
      index == 0 ? 3 << 20 : nil
    } stall: { index in
      guard index == 0 else { return }
      stalled.open()
      _ = release.wait()
    }
    let folder = try TemporaryFolder()
    let arguments = [server.url + "/file", folder.path + "/file", file.sha256]
    var child: ChildProcess? = try ChildProcess(program, arguments)
    await stalled.opened()
    // The sent bytes are written completely, because nobody else reads them.
    let part = folder.path + "/file.part"
    while FileManager.default.contents(atPath: part)?.count != 3 << 20 { await Task.yield() }
    child = nil  // SIGKILL
    release.open()
    #expect(child == nil && folder.names == ["file.part", "file.part.json"])

    let second = try ChildProcess(program, arguments)
    #expect(await String(decoding: second.next(), as: UTF8.self) == "\(3 << 20)\n")
    #expect(server.sent.map(\.start) == [0, 3 << 20] && server.served == 4 << 20)
    #expect(folder.names == ["file"])
  }
  #endif
}
