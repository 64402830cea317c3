import Faraday
import FaradaySupport
import FaradayTesting
import Foundation
import Synchronization
import Testing

@testable import FaradayStreams

/// Parsing of the server's header fields, and progress.
@Suite struct DownloadFieldTests {
  private func range(_ values: String...) -> ContentRange? {
    var headers: HTTPFields = [:]
    for value in values { headers.append(HTTPField(name: .contentRange, value: value)) }
    return ContentRange(headers)
  }

  @Test func `a Content-Range must use bytes, and its numbers must be consistent`() {
    #expect(range("bytes 0-99/1000") == .part(start: 0, end: 100, total: 1000))
    #expect(range("Bytes 5-5/*") == .part(start: 5, end: 6, total: nil))
    #expect(range("bytes */1000") == .unsatisfied(total: 1000))
    let wrong = [
      "bytes 5-4/10", "bytes 0-10/10", "bytes 0-9223372036854775807/*", "bytes 0-1/x", "bytes 0-1/", "bytes 0-1", "bytes */*",
      "bytes */x", "octets 0-1/2", "bytes -1/2", "bytes 1-/2", "bytes=0-1/2", "",
    ]
    for value in wrong { #expect(range(value) == nil, "\(value)") }
    #expect(range("bytes 0-1/2", "bytes 0-1/2") == nil)
  }

  @Test func `a digest is delimited by colons, and its parameters are ignored`() {
    let digest = Data(SHA256.hash(Data())).base64EncodedString()
    #expect(Checksum.list(["sha-256=:\(digest):;x=1, md5=:AAAA:"]).map(\.algorithm) == [.sha256])
    for value in ["sha-256=x\(digest):", "sha-256=:\(digest)x", "sha-256=:", "sha-256"] {
      #expect(Checksum.list([value]).isEmpty, "\(value)")
    }
  }

  @Test func `the first delay is bounded too, and a Retry-After equal to the bound is obeyed`() {
    var policy = DownloadPolicy(initialDelay: .seconds(60), maximumDelay: .seconds(20))
    policy.random = { 1 }
    #expect(policy.delay(after: 1, retryAfter: nil) == .seconds(20))
    #expect(policy.delay(after: 1, retryAfter: .seconds(21)) == nil)
    policy.random = { 0 }
    #expect(policy.delay(after: 1, retryAfter: .seconds(20)) == .seconds(20))
  }

  @Test func `jitter is added to Retry-After, up to the first delay`() {
    var policy = DownloadPolicy(initialDelay: .seconds(2), maximumDelay: .seconds(20))
    policy.random = { 0.5 }
    #expect(policy.delay(after: 1, retryAfter: .seconds(7)) == .seconds(8))
    #expect(policy.delay(after: 3, retryAfter: .seconds(7)) == .seconds(9))
    #expect(policy.delay(after: 4, retryAfter: .seconds(1)) == .seconds(8))
  }

  @Test func `the total progress uses each file's latest numbers`() {
    let last = Mutex<DownloadsProgress?>(nil)
    let tally = DownloadsTally(2, DownloadPolicy(reportsPerSecond: .infinity)) { progress in last.withLock { $0 = progress } }
    tally.advance(0, DownloadProgress(bytes: 10, total: 100, resumed: 5))
    tally.advance(0, DownloadProgress(bytes: 50, total: 100, resumed: 5))
    #expect(last.withLock { $0?.transfer.total } == nil)
    tally.advance(1, DownloadProgress(bytes: 1, total: 10))
    tally.advance(1, DownloadProgress(bytes: 2, total: 10))
    tally.finish()
    let sum = last.withLock { $0?.transfer }
    #expect(sum?.bytes == 52 && sum?.resumed == 5 && sum?.total == 110)
  }

  @Test(arguments: [HTTPField.Name.accept, .acceptLanguage])
  func `a part of another representation is not resumed`(name: HTTPField.Name) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.whole()
    _ = try await file.download(edit: { $0.headers[name] = "de" })
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `the fragment of a URL is ignored`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300)
    #expect(try await file.download("file#top").resumed == 300)
  }

  @Test func `a part with another start offset is rejected`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 200)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `the free space for the rest is checked before it is written`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300)
    var policy = file.policy
    policy.freeSpace = 10
    let error = await failure { _ = try await file.download(policy: policy) } as? DownloadError
    #expect(error?.reason == .noSpace(needed: 700, free: 10))
  }

  @Test func `a server that is unreachable at first is an error, and one that disappears is retried`() async throws {
    let file = try MockedFile()
    file.status(.serviceUnavailable)
    let error = await failure { _ = try await file.download() }
    #expect((error as? StatusError)?.status == .serviceUnavailable && file.sent.count == 1)
    file.whole(cut: 300)
    file.status(.serviceUnavailable)
    file.rest(from: 300)
    let download = try await file.download()
    #expect(download.interruptions == 2 && download.response.body.isEmpty && file.written == file.bytes)
  }

  @Test func `a chunk callback of the request is not called`() async throws {
    let file = try MockedFile()
    file.whole()
    let chunks = Atomic<Int>(0)
    _ = try await file.download(edit: {
      $0.options.onChunk = { _ in
        chunks.add(1, ordering: .relaxed)
        return .continue
      }
    })
    #expect(chunks.load(ordering: .relaxed) == 0 && file.written == file.bytes)
  }

  @Test func `a file name ends before the fragment, and a folder can end with a slash`() async throws {
    let file = try MockedFile()
    file.whole()
    let results = try await file.connection.downloads(["a/b#c/d"], to: file.folder + "/")
    #expect(try results[0].get().path == file.folder + "/b")
  }
}
