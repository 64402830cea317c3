import Faraday
import FaradaySupport
import FaradayTesting
import Foundation
import Testing

@testable import FaradayStreams

/// Checksums of the caller and of the server (RFC 9530).
@Suite struct DownloadDigestTests {
  private func field(_ bytes: Data) -> String { "sha-256=:" + Data(SHA256.hash(bytes)).base64EncodedString() + ":" }
  private func field512(_ bytes: Data) -> String { "sha-512=:" + Data(SHA512.hash(bytes)).base64EncodedString() + ":" }

  @Test(
    arguments: [
      [.reprDigest], [.contentDigest],
    ] as [[HTTPField.Name]])
  func `a wrong checksum from the server is an error, and nothing is kept`(names: [HTTPField.Name]) async throws {
    for digest in [field(Data()), field512(Data()), "md5=:AAAA:, " + field512(Data())] {
      let file = try MockedFile()
      file.whole([.eTag: "\"v1\"", names[0]: digest])
      let error = await failure { _ = try await file.download() }
      guard case .checksumMismatch = error.flatMap(reason) else {
        Issue.record("\(digest): \(String(describing: error))")
        return
      }
      #expect(file.names == [])
    }
  }

  @Test func `a wrong checksum from the caller is an error that names both`() async throws {
    let file = try MockedFile()
    file.whole()
    let wrong = String(repeating: "AB", count: 32)
    let error = await failure { _ = try await file.download(checksum: .sha256(wrong)) }
    let actual = SHA256.hash(file.bytes).hexadecimal
    #expect(error.flatMap(reason) == .checksumMismatch(algorithm: .sha256, expected: wrong.lowercased(), actual: actual))
    #expect(error.map { "\($0)".contains(actual) } == true)
  }

  @Test(
    arguments: [
      .sha256(""), .sha256("abcd"), .sha256(String(repeating: "a", count: 63)), .sha256(String(repeating: "a", count: 64) + "\n"),
      .sha256(String(repeating: "a", count: 63) + "g"), .sha256(String(repeating: "a", count: 128)),
      .sha256(String(repeating: "é", count: 32)), .sha512(String(repeating: "a", count: 64)),
    ] as [Checksum])
  func `an invalid checksum is refused before anything is sent, and the part stays`(
    checksum: Checksum
  ) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    let error = await failure { _ = try await file.download(checksum: checksum) }
    let digits = checksum.algorithm == .sha256 ? 64 : 128
    #expect(
      error.flatMap(reason) == .invalidRequest("a checksum \(checksum.algorithm.rawValue) has \(digits) hexadecimal digits"))
    #expect(file.sent.count == 1 && file.names == ["file.part", "file.part.json"])
  }

  @Test func `an invalid checksum in a list of downloads fails only its file`() async throws {
    let file = try MockedFile()
    file.whole()
    let results = try await file.connection.downloads(
      [DownloadItem("a", to: file.destination, checksum: .sha256("00")), DownloadItem("b", to: file.folder + "/b")])
    guard case .invalidRequest = await failure(of: { _ = try results[0].get() }).flatMap(reason) else {
      Issue.record("\(results[0])")
      return
    }
    #expect(try results[1].get().size == 1000 && file.sent.count == 1)
  }

  @Test func `correct checksums are verified, the caller's in either letter case`() async throws {
    let file = try MockedFile()
    file.whole([.reprDigest: field(file.bytes)])
    let download = try await file.download(checksum: .sha512(SHA512.hash(file.bytes).hexadecimal.uppercased()))
    #expect(download.verified == [.sha256, .sha512])
  }

  @Test(arguments: [
    "md5=:AAAA:", "sha-256=:AAAA:", "sha-512=:AAAA:", "sha-256", "sha-256=", "sha-256=AAAA", "sha-256=:AA\u{1}A:",
    "sha-256=:AAAA", "unixsum=7, x=\"a,b\"", ":",
    "=::", "",
  ])
  func `unknown or malformed checksums are ignored`(value: String) async throws {
    let file = try MockedFile()
    file.whole([.contentDigest: value])
    #expect(try await file.download().verified.isEmpty)
  }

  @Test func `the checksum of the whole file is verified over all parts`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300, [.eTag: "\"v1\"", .reprDigest: field(file.bytes)])
    file.rest(from: 300)
    #expect(try await file.download().verified == [.sha256])
  }

  @Test func `a checksum that arrives with a later part includes the earlier bytes`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v1\"", .reprDigest: field512(file.bytes), .contentDigest: field(file.bytes[300...])])
    #expect(try await file.download().verified == [.sha512])
    #expect(file.written == file.bytes)
  }

  @Test func `a checksum from an earlier process is remembered`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300, [.eTag: "\"v1\"", .reprDigest: field(Data())])
    file.rest(from: 300)
    let error = await failure { _ = try await file.download() }
    guard case .checksumMismatch = error.flatMap(reason) else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a part with a different checksum belongs to another file`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300, [.eTag: "\"v1\"", .reprDigest: field(Data())])
    file.rest(from: 300, [.eTag: "\"v1\"", .reprDigest: field(file.bytes)])
    file.whole(cut: 300, [.eTag: "\"v1\"", .reprDigest: field(file.bytes)])
    file.rest(from: 300, [.eTag: "\"v1\"", .reprDigest: field(file.bytes) + ", " + field512(file.bytes)])
    #expect(try await file.download().verified == [.sha256, .sha512])
    #expect(file.ranges == [nil, "bytes=300-", nil, "bytes=300-"] && file.written == file.bytes)
  }

  @Test func `the checksum of a part is verified for that part`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, to: 600, [.eTag: "\"v1\"", .contentDigest: field(file.bytes)])
    let error = await failure { _ = try await file.download() }
    guard case .checksumMismatch = error.flatMap(reason) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(file.names == [])
  }

  @Test(arguments: [HTTPField.Name.reprDigest, .contentDigest], [0, 300])
  func `a checksum in the trailers counts, for the whole and for a part`(name: HTTPField.Name, start: Int) async throws {
    let file = try MockedFile()
    if start > 0 { await file.leavePart(of: start) }
    file.answer { [bytes = file.bytes, wrong = field(Data())] in
      Response(
        status: start > 0 ? .partialContent : .ok,
        headers: start > 0 ? [.eTag: "\"v1\"", .contentRange: "bytes \(start)-999/1000"] : [:], body: .data(bytes[start...]),
        trailers: [name: wrong], url: $0.url)
    }
    let error = await failure { _ = try await file.download() }
    guard case .checksumMismatch = error.flatMap(reason) else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an empty file is verified`() async throws {
    let file = try MockedFile(size: 0)
    file.whole([.contentDigest: field(Data())])
    let download = try await file.download()
    #expect(download.size == 0 && download.verified == [.sha256] && file.written == Data())
  }
}
