import Faraday
import FaradayTesting
import Foundation
import Synchronization
import Testing

@testable import FaradayStreams

@Suite struct DownloadProgressTests {
  /// A body of pieces, with time between them.
  private func paced(_ file: MockedFile, pieces: Int, every step: Duration) {
    file.answer { [bytes = file.bytes, clock = file.clock] in
      let size = bytes.count / pieces
      let next = Mutex(0)
      let body = AsyncStream<Data>(unfolding: {
        let index = next.withLock { index in
          defer { index += 1 }
          return index
        }
        guard index < pieces else { return nil }
        clock.advance(by: step)
        return bytes[(index * size)..<((index + 1) * size)]
      })
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(body, length: Int64(bytes.count)), url: $0.url)
    }
  }

  private func reports(_ file: MockedFile, _ policy: DownloadPolicy) async throws -> [DownloadProgress] {
    let reports = Mutex<[DownloadProgress]>([])
    _ = try await file.download(policy: policy, progress: { report in reports.withLock { $0.append(report) } })
    return reports.withLock { $0 }
  }

  @Test func `progress reports are throttled, and the last one is delivered once`() async throws {
    let file = try MockedFile()
    paced(file, pieces: 100, every: .milliseconds(10))
    let reports = try await reports(file, file.policy)
    #expect(reports.count <= 11 && reports.count >= 9)
    #expect(reports.filter { $0.bytes == 1000 }.count == 1 && reports.last?.bytes == 1000)
    #expect(reports.allSatisfy { $0.total == 1000 && $0.resumed == 0 })
    #expect(reports.map(\.bytes) == reports.map(\.bytes).sorted())
  }

  @Test func `the first trailing closure changes the request, and a labeled one reports progress`() async throws {
    let file = try MockedFile()
    let last = Log<DownloadProgress>()
    file.whole()
    _ = try await file.connection.download("file", to: file.destination) {
      $0.headers[.userAgent] = "mine"
    } progress: { progress in
      last.append(progress)
    }
    #expect(last.elements.last?.bytes == 1000 && file.sent.map { $0.headers[.userAgent] } == ["mine"])
  }

  @Test(arguments: [0, -1, Double.nan, -Double.infinity])
  func `without other reports the last one is delivered`(rate: Double) async throws {
    let file = try MockedFile()
    paced(file, pieces: 100, every: .milliseconds(10))
    var policy = file.policy
    policy.reportsPerSecond = rate
    #expect(try await reports(file, policy).map(\.bytes) == [1000])
  }

  @Test func `the clock determines the rate, and the rate the remaining time`() async throws {
    let file = try MockedFile()
    paced(file, pieces: 10, every: .seconds(1))
    let reports = try await reports(file, file.policy)
    let middle = try #require(reports.first { $0.bytes == 500 })
    #expect(abs(middle.bytesPerSecond - 100) < 1)
    #expect(middle.timeLeft.map { abs($0 / .seconds(1) - 5) < 0.1 } == true)
    #expect(middle.fraction == 0.5 && reports.map(\.bytes) == (1...10).map { Int64($0) * 100 })
  }

  @Test func `resumed bytes count as progress and not in the rate`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 900)
    file.rest(from: 900)
    let reports = try await reports(file, file.policy)
    #expect(reports.last == DownloadProgress(bytes: 1000, total: 1000, resumed: 900))
  }

  @Test func `simultaneous chunks and a restarted file do not affect the rate`() {
    let clock = ManualClock()
    var meter = ProgressMeter(DownloadPolicy(reportsPerSecond: .infinity, clock: clock))
    func rate(at bytes: Int64, after step: Duration) -> Double? {
      clock.advance(by: step)
      return meter.rate(at: bytes)
    }
    #expect(rate(at: 0, after: .zero) == 0 && rate(at: 100, after: .seconds(1)) == 100)
    #expect(rate(at: 50_000, after: .milliseconds(49)) == 100)
    #expect(rate(at: 0, after: .seconds(1)) == 100)
    #expect(rate(at: 100, after: .seconds(1)) == 100)
  }

  @Test func `resumed bytes of one file do not count in the total rate`() {
    let clock = ManualClock()
    let last = Mutex<DownloadsProgress?>(nil)
    let tally = DownloadsTally(2, DownloadPolicy(reportsPerSecond: .infinity, clock: clock)) { all in last.withLock { $0 = all } }
    tally.advance(0, DownloadProgress(bytes: 0, total: 1000))
    clock.advance(by: .seconds(1))
    tally.advance(0, DownloadProgress(bytes: 100, total: 1000))
    clock.advance(by: .seconds(1))
    tally.advance(1, DownloadProgress(bytes: 1_000_100, total: 2_000_000, resumed: 1_000_000))
    #expect(last.withLock { $0?.transfer.bytesPerSecond } == 100)
  }

  @Test func `an unknown size is known at the end`() async throws {
    let file = try MockedFile()
    file.answer { [bytes = file.bytes] request in
      let pieces = AsyncStream<Data> { continuation in
        continuation.yield(bytes)
        continuation.finish()
      }
      return Response(status: .ok, body: .stream(pieces), url: request.url)
    }
    #expect(try await reports(file, file.policy).map(\.total) == [nil, 1000])
  }

  @Test(arguments: [0, -1, Double.nan, .infinity, 1e-300])
  func `invalid rates yield no remaining time`(rate: Double) {
    let progress = DownloadProgress(bytes: 0, total: .max, bytesPerSecond: rate)
    #expect(progress.timeLeft == nil || progress.timeLeft == .zero)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero])
  func `delays of any length are clamped to the clock's range`(duration: Duration) {
    var policy = DownloadPolicy(initialDelay: duration, maximumDelay: duration)
    policy.random = { 1 }
    for count in [0, 1, 5, 1000] { #expect(policy.delay(after: count, retryAfter: nil) == duration.withinClocks) }
  }
}
