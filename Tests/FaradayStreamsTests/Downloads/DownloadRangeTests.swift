import Faraday
import FaradayTesting
import TestSupport
import Testing

@testable import FaradayStreams

/// Answers to a `Range` that are not the rest of the file.
@Suite struct DownloadRangeTests {
  let folder: DownloadFolder
  static let content: [UInt8] = (0..<1000).map { LocalServer.patternByte(at: $0) }

  init() throws { folder = try DownloadFolder() }

  /// Downloads with a break after 600 bytes; the answer to the second request is this one, and that to later ones if `always`.
  private func download(_ answer: String, always: Bool = false) async throws -> RangeServer {
    let server = try RangeServer(Self.content) {
      $0.cuts = [600]
      $0.answer = { number, _ in number == 2 || always && number > 2 ? answer : nil }
    }
    var options = DownloadOptions()
    options.initialDelay = .zero
    try await Connection(server.url, adapter: TestedAdapter.curl.adapter).download(to: folder.file, options: options)
    return server
  }

  private static let rest = String(repeating: "x", count: 400)
  static let unusable = [
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-999/1000\r\nContent-Length: 1000\r\n\r\n",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 601-999/1000\r\nContent-Length: 399\r\n\r\n",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 600-1999/2000\r\nContent-Length: 1400\r\n\r\n",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 600-999/1000\r\nETag: \"v2\"\r\nContent-Length: 400\r\n\r\n\(rest)",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 600-999/1000\r\nContent-Length: 5\r\n\r\nxxxxx",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 600-999/1000\r\nContent-Encoding: gzip\r\nContent-Length: 400\r\n\r\n\(rest)",
    "HTTP/1.1 206 Partial Content\r\nContent-Length: 400\r\n\r\n\(rest)",
    "HTTP/1.1 206 Partial Content\r\nContent-Type: multipart/byteranges; boundary=a\r\nContent-Length: 3\r\n\r\n--a",
    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */500\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n",
  ]

  @Test(arguments: unusable)
  func `an answer that is not the rest makes it start again, once`(answer: String) async throws {
    let server = try await download(answer)
    #expect(folder.bytes == Self.content)
    #expect(server.ranges == [nil, "bytes=600-", nil])
  }

  @Test func `a server that never has the rest is not asked for ever`() async throws {
    let server = try RangeServer(Self.content) {
      $0.cuts = [600, 600, 600]
      $0.answer = { number, head in head.lowercased().contains("\r\nrange:") ? Self.unusable[1] : nil }
    }
    var options = DownloadOptions()
    options.initialDelay = .zero
    let error = await #expect(throws: DownloadError.self) {
      try await Connection(server.url, adapter: TestedAdapter.curl.adapter).download(to: folder.file, options: options)
    }
    #expect(error?.reason == .invalidRange("it begins at byte 601 and not at 600"))
    #expect(server.ranges.count == 4)
  }

  @Test func `less than was asked for is taken, and the rest asked for`() async throws {
    let middle = String(decoding: [UInt8](repeating: 0x78, count: 100), as: UTF8.self)
    let server = try await download(
      "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 600-699/*\r\nContent-Length: 100\r\n\r\n\(middle)")
    #expect(folder.bytes == Self.content[..<600] + Array(middle.utf8) + Self.content[700...])
    #expect(server.ranges == [nil, "bytes=600-", "bytes=700-"])
  }

  @Test func `a part that is whole already, and of unknown size, is asked about`() async throws {
    // Chunked, cut before the last chunk: all bytes are there, and nobody knows.
    let server = try RangeServer(Self.content) {
      let text = String(decoding: [UInt8](repeating: 0x78, count: 1000), as: UTF8.self)
      $0.content = Array(text.utf8)
      $0.answer = { number, _ in
        number == 1 ? "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n\(text)\r\n" : nil
      }
    }
    var options = DownloadOptions()
    options.initialDelay = .zero
    let result = try await Connection(server.url, adapter: TestedAdapter.curl.adapter).download(
      to: folder.file, options: options)
    #expect(result.size == 1000 && result.requestCount == 2 && server.ranges == [nil, "bytes=1000-"])
    #expect(folder.names == ["file"])
  }

  @Test func `a middleware that throws the status changes nothing`() async throws {
    let server = try RangeServer(Self.content) {
      $0.cuts = [600]
      $0.answer = { number, _ in number == 2 ? Self.unusable[8] : nil }
    }
    var options = DownloadOptions()
    options.initialDelay = .zero
    try await Connection(server.url, adapter: TestedAdapter.curl.adapter, middleware: [.expectStatus]).download(
      to: folder.file, options: options)
    #expect(folder.bytes == Self.content)
  }

  @Test(
    arguments: [
      ("bytes 0-9/10", 0, 9, 10), ("BYTES 5-5/6", 5, 5, 6), ("bytes 0-9/*", 0, 9, nil),
      ("bytes 0-9223372036854775806/*", 0, Int64.max - 1, nil),
    ] as [(String, Int64, Int64, Int64?)])
  func `ranges that are valid`(text: String, first: Int64, last: Int64, total: Int64?) {
    let range = ContentRange(text)
    #expect(range?.bytes == first...last)
    #expect(range?.total == total)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-9", "bytes 0-9/", "bytes 9-0/10", "bytes 0-10/10", "bytes -9/10", "bytes 0-/10",
    "bytes 0-9/x",
    "bytes */*", "bytes 0-9/10/11", "bytes 0-9,11-12/20", "items 0-9/10", "bytes 0-9223372036854775807/*",
    "bytes 99999999999999999999-99999999999999999999/*", "bytes +0-9/10", "bytes 0-9/-1", "bytes ٠-٩/١٠",
  ])
  func `ranges that are not`(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
