import Faraday
import FaradayTesting
import Foundation
import Synchronization
import Testing

@testable import FaradayStreams

/// What is read of the server's header fields, and what is counted.
@Suite struct DownloadFieldTests {
  private func range(_ values: String...) -> ContentRange? {
    var headers: HTTPFields = [:]
    for value in values { headers.append(HTTPField(name: .contentRange, value: value)) }
    return ContentRange(headers)
  }

  @Test func `a Content-Range is of bytes, and its numbers fit together`() {
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

  @Test func `a digest stands between colons, and its parameters mean nothing`() {
    let digest = Data(SHA256.hash(Data())).base64EncodedString()
    #expect(Checksum.list(["sha-256=:\(digest):;x=1, md5=:AAAA:"]).map(\.algorithm) == [.sha256])
    for value in ["sha-256=x\(digest):", "sha-256=:\(digest)x", "sha-256=:", "sha-256"] {
      #expect(Checksum.list([value]).isEmpty, "\(value)")
    }
  }

  @Test func `a delay is bounded also at first, and a Retry-After of just that bound is honored`() {
    var policy = DownloadPolicy(initialDelay: .seconds(60), maxDelay: .seconds(20))
    policy.random = { 1 }
    #expect(policy.delay(after: 1, retryAfter: nil) == .seconds(20))
    #expect(policy.delay(after: 1, retryAfter: .seconds(20)) == .seconds(20))
    #expect(policy.delay(after: 1, retryAfter: .seconds(21)) == nil)
  }

  @Test func `the sum of many has each file's latest numbers`() {
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
  func `a part for another representation is not continued`(name: HTTPField.Name) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.whole()
    _ = try await file.download(edit: { $0.headers[name] = "de" })
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `the fragment of a URL is no part of it`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300)
    #expect(try await file.download("file#top").resumed == 300)
  }

  @Test func `a part that begins elsewhere is not taken`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 200)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `the space for the rest of a part is looked at before it is written`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300)
    var policy = file.policy
    policy.freeSpace = 10
    let error = await failure { _ = try await file.download(policy: policy) } as? DownloadError
    #expect(error?.reason == .noSpace(needed: 700, free: 10))
  }

  @Test func `a server that is not there at first is an error, and one that goes away is waited for`() async throws {
    let file = try MockedFile()
    file.status(.serviceUnavailable)
    let error = await failure { _ = try await file.download() }
    #expect((error as? UnexpectedStatus)?.status == .serviceUnavailable && file.sent.count == 1)
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

  @Test func `a name ends before the fragment, and a folder may end with a slash`() async throws {
    let file = try MockedFile()
    file.whole()
    let results = try await file.connection.downloads(["a/b#c/d"], to: file.folder + "/")
    #expect(try results[0].get().path == file.folder + "/b")
  }
}
