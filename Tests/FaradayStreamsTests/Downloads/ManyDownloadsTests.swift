import Faraday
import FaradayTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaradayStreams

@Suite struct ManyDownloadsTests {
  /// Serves the path as the body; `missing` is a 404.
  private func mock() -> MockAdapter {
    let mock = MockAdapter()
    mock.stub { request in
      let path = request.url.path()
      return Response(status: path.hasSuffix("missing") ? .notFound : .ok, body: .text(path), url: request.url)
    }
    return mock
  }

  private func connection(_ mock: MockAdapter) -> Connection {
    Connection(url: URL(string: "https://files.example/"), adapter: mock)
  }

  @Test func `one failure does not end the other downloads, and the results are in order`() async throws {
    let folder = try TemporaryFolder()
    let results = try await connection(mock()).downloads(["a", "missing", "b", "c/d?x=1", "%zz"], to: folder.path)
    #expect(results.map { (try? $0.get())?.size } == [2, nil, 2, 4, nil])
    #expect(folder.names == ["a", "b", "d"])
    #expect((try? results[1].get()) == nil)
  }

  @Test func `invalid or duplicate names are refused and not sent`() async throws {
    let folder = try TemporaryFolder()
    let mock = mock()
    let paths = ["", "a/", "..", "a/%2e%2e", "b%2Fc", "d%00", "x/e", "y/e"]
    let results = try await connection(mock).downloads(paths, to: folder.path)
    for (path, result) in zip(paths, results) where path != "x/e" {
      let expected: DownloadError.Reason = path == "y/e" ? .inUse : .invalidPath
      #expect(await failure { _ = try result.get() }.map(reason) == expected, "\(path)")
    }
    #expect(folder.names == ["e"] && mock.recorded.count == 1)
  }

  @Test func `names that differ only in Unicode normalization are two files`() async throws {
    let folder = try TemporaryFolder()
    let names = ["\u{E9}", "e\u{301}"]
    try #require(names[0] == names[1])
    let results = try await connection(mock()).downloads(
      names.enumerated().map { DownloadItem("\($0.offset)", to: folder.path + "/" + $0.element) })
    for (index, result) in results.enumerated() {
      #expect(try result.get().size == 2)
      #expect(FileManager.default.contents(atPath: folder.path + "/" + names[index]) == Data("/\(index)".utf8))
    }
  }

  @Test(arguments: [-1, 1, 3, 100])
  func `at most the allowed number of downloads runs concurrently`(limit: Int) async throws {
    let folder = try TemporaryFolder()
    let running = Mutex(0)
    let most = Mutex(0)
    let mock = MockAdapter()
    mock.stub { request in
      let now = running.withLock { running in
        running += 1
        return running
      }
      most.withLock { $0 = max($0, now) }
      for _ in 0..<20 { await Task.yield() }
      running.withLock { $0 -= 1 }
      return Response(status: .ok, url: request.url)
    }
    let items = (0..<10).map { DownloadItem("\($0)", to: folder.path + "/\($0)") }
    let results = try await connection(mock).downloads(items, maximumConcurrent: limit)
    #expect(results.allSatisfy { (try? $0.get()) != nil } && folder.names.count == 10)
    #expect(most.withLock { $0 } <= max(1, limit))
  }

  @Test func `all downloads share one progress with one end`() async throws {
    let folder = try TemporaryFolder()
    let reports = Mutex<[DownloadsProgress]>([])
    let results = try await connection(mock()).downloads(
      ["aa", "missing", "bbb"], to: folder.path,
      progress: { report in
        reports.withLock { $0.append(report) }
      })
    let last = try #require(reports.withLock { $0.last })
    #expect(results.count == 3)
    #expect(last.count == 3 && last.completed == 2 && last.failed == 1 && last.transfer.bytes == 7)
    #expect(last.transfer.total == nil)
  }

  @Test func `cancelling ends all downloads`() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let mock = MockAdapter()
    mock.stub { request in
      try await clock.sleep(for: .seconds(1))
      return Response(status: .ok, url: request.url)
    }
    let target = connection(mock)
    let task = Task { try await target.downloads(["a", "b", "c"], to: folder.path, maximumConcurrent: 2) }
    await clock.sleepers(2)
    task.cancel()
    #expect(await failure { _ = try await task.value } is CancellationError)
    #expect(mock.recorded.count == 2 && folder.names == [])
  }

  @Test func `an empty list has an empty result`() async throws {
    #expect(try await connection(mock()).downloads([]).isEmpty)
  }
}
