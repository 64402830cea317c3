import Faraday
import FaradayTesting
import Synchronization
import TestSupport
import Testing

@testable import FaradayStreams

/// Files, folders, locks and checksums.
@Suite struct DownloadFileTests {
  let folder: DownloadFolder
  static let content = Array("what is downloaded".utf8)

  init() throws { folder = try DownloadFolder() }

  private func reason(
    _ server: RangeServer, to file: String? = nil, edit: (inout DownloadOptions) -> Void = { _ in },
    request: (inout Request) -> Void = { _ in }
  ) async throws -> DownloadError.Reason? {
    var options = DownloadOptions()
    edit(&options)
    do {
      try await Connection(server.url, adapter: TestedAdapter.curl.adapter).download(
        to: file ?? folder.file, options: options, edit: request)
      return nil
    } catch let error as DownloadError {
      #expect(error.description.contains("file ") && error.request?.method == .get)
      return error.reason
    }
  }

  @Test func `paths that cannot be a file's are refused before anything is sent`() async throws {
    let server = try RangeServer(Self.content)
    for path in ["", folder.path, folder.path + "/", folder.path + "/a\0b"] {
      #expect(try await reason(server, to: path) == .invalidPath)
    }
    #expect(try await reason(server, to: folder.path + "/no/file") == .file("No such file or directory"))
    #expect(try await reason(server, request: { $0.headers[.range] = "bytes=1-" }) == .ownRange)
    #expect(server.ranges.isEmpty && folder.names.isEmpty)
  }

  @Test func `a file that exists is replaced only where it may be`() async throws {
    let server = try RangeServer(Self.content)
    try folder.write([1])
    #expect(try await reason(server, edit: { $0.replacesExisting = false }) == .fileExists)
    #expect(server.ranges.isEmpty && folder.bytes == [1] && folder.names == ["file"])
    #expect(try await reason(server) == nil)
    #expect(folder.bytes == Self.content)
  }

  @Test func `a file that comes meanwhile is not replaced either`() async throws {
    let folder = folder
    let server = try RangeServer(Self.content) {
      $0.answer = { _, _ in
        try? folder.write([1])
        return nil
      }
    }
    #expect(try await reason(server, edit: { $0.replacesExisting = false }) == .fileExists)
    #expect(folder.bytes == [1])
  }

  @Test func `two downloads to one file at the same time`() async throws {
    let (arrived, mayAnswer) = (Gate(), Gate())
    let server = try RangeServer(Self.content) {
      $0.answer = { _, _ in
        arrived.open()
        mayAnswer.wait()
        return nil
      }
    }
    async let first = reason(server)
    #expect(await arrived.opened())
    #expect(try await reason(server) == .inUse)
    mayAnswer.open()
    #expect(try await first == nil)
    #expect(folder.bytes == Self.content)
  }

  @Test func `a part that is a link or a folder is left alone`() async throws {
    let server = try RangeServer(Self.content)
    try folder.write([1], to: "other")
    try FileManager.default.createSymbolicLink(atPath: folder.file + ".part", withDestinationPath: folder.path + "/other")
    guard case .file = try await reason(server) else {
      Issue.record("a link was followed")
      return
    }
    #expect(FileManager.default.contents(atPath: folder.path + "/other") == Data([1]))
  }

  @Test func `more than the disk has is refused at the head`() async throws {
    let server = try RangeServer(Self.content) {
      $0.answer = { _, _ in "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\nx" }
    }
    guard case .noSpace(let needed, _)? = try await reason(server) else {
      Issue.record("it was begun")
      return
    }
    #expect(needed == 9_000_000_000_000_000_000 && folder.names.isEmpty)
  }

  private static let digest = Data(SHA256.hash(content)).base64EncodedString()
  private static let wrong = Data(repeating: 1, count: 32).base64EncodedString()

  @Test(arguments: [
    ("Repr-Digest: sha-256=:\(digest):", true), ("Content-Digest: md5=:AAAA:, sha-256=:\(digest):", true),
    ("Repr-Digest: md5=:AAAA:", false), ("Repr-Digest: sha-256=\(wrong)", false), ("Repr-Digest: sha-256=:AAAA:", false),
    ("Repr-Digest: sha-256=:!:", false), ("Repr-Digest: sha-256", false),
  ])
  func `a digest that the server sends is verified, if it is one`(field: String, isVerified: Bool) async throws {
    let server = try RangeServer(Self.content) { $0.fields = [field] }
    let result = try await Connection(server.url, adapter: TestedAdapter.curl.adapter).download(to: folder.file)
    #expect(result.isVerified == isVerified)
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"])
  func `another digest than the server's is an error, and nothing is left`(field: String) async throws {
    let server = try RangeServer(Self.content) { $0.fields = ["\(field): sha-256=:\(Self.wrong):"] }
    #expect(try await reason(server) == .checksumMismatch(.sha256))
    #expect(folder.names.isEmpty)
    #expect(try await reason(server, edit: { $0.verifiesDigests = false }) == nil)
  }

  @Test func `the digest of a part's content is of that part`() async throws {
    let server = try RangeServer(Self.content) {
      $0.cuts = [5]
      $0.answer = { number, _ in
        number == 2
          ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-17/18\r\nContent-Digest: sha-256=:\(Self.wrong):\r\n"
            + "Content-Length: 13\r\n\r\n" + String(decoding: Self.content[5...], as: UTF8.self) : nil
      }
    }
    #expect(try await reason(server, edit: { $0.initialDelay = .zero }) == .checksumMismatch(.sha256))
  }

  @Test func `a checksum that is given is verified, over what an earlier call had left too`() async throws {
    for text in ["", "c2b1", String(repeating: "g", count: 64)] {
      #expect(throws: InvalidChecksum.self) { try Checksum.sha256(text) }
    }
    let right = try Checksum.sha256(SHA256.hash(Self.content).hexadecimal)
    let server = try RangeServer(Self.content) { $0.cuts = [5] }
    await #expect(throws: TransportError.self) { try await reason(server, edit: { $0.maximumFailures = 0 }) }
    #expect(try await reason(server, edit: { $0.checksum = right }) == nil)
    #expect(folder.bytes == Self.content && server.ranges == [nil, "bytes=5-"])
    let wrong = try Checksum(.sha512, Array(repeating: 1, count: 64))
    #expect(try await reason(server, edit: { $0.checksum = wrong }) == .checksumMismatch(.sha512))
  }

  @Test func `an encoded body is decoded, and cannot be continued`() async throws {
    let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA8vIBACsKpPYAgAAAA=="))
    let server = try RangeServer(Array(coded)) { $0.fields = ["Content-Encoding: gzip", "Repr-Digest: sha-256=:\(Self.wrong):"] }
    let result = try await Connection(server.url, adapter: TestedAdapter.curl.adapter).download(to: folder.file)
    #expect(!result.isVerified)
    #expect(folder.names == ["file"] && folder.bytes == Array("hi".utf8))
  }
}
