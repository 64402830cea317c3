import Faraday
import FaradayTesting
import Foundation
import Testing

@testable import FaradayStreams

/// Responses to a request for the rest of a file.
@Suite struct DownloadRangeTests {
  /// Of no bytes that a test sends.
  private let wrongDigest = "sha-256=:\(Data(count: 32).base64EncodedString()):"

  @Test(arguments: [
    "bytes 0-999/1000", "bytes 299-999/1000", "bytes 301-999/1000", "bytes 300-999/1001", "bytes 300-999/*", "bytes 300-998/1000",
    "bytes 300-999", "bytes 300-1000/1000", "bytes 999-300/1000", "bytes */1000", "items 300-999/1000", "bytes 300-999/-1", "",
    "bytes 300-99999999999999999999/1000", "bytes 300-9223372036854775807/9223372036854775807",
  ])
  func `a part with a wrong Content-Range restarts the file without ranges`(range: String) async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v1\"", .contentRange: range])
    file.whole(cut: 200)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, nil])
    #expect(file.written == file.bytes)
  }

  @Test func `a part without Content-Range restarts the file`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.answer { [bytes = file.bytes] in MockedFile.response($0, .partialContent, [.eTag: "\"v1\""], bytes[300...]) }
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a multipart response restarts the file`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v1\"", .contentType: "multipart/byteranges; boundary=x"])
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a part of another version restarts the file`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v2\""])
    file.whole(cut: 400, [.eTag: "\"v2\""])
    file.rest(from: 400, [.eTag: "\"v2\""])
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, "bytes=400-"] && file.written == file.bytes)
  }

  @Test func `a part without the whole's ETag restarts the file without ranges`()
    async throws
  {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT"])
    file.whole(cut: 400)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, nil] && file.written == file.bytes)
  }

  private let dated: HTTPFields = [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:01:00 GMT"]

  @Test(arguments: [[:], [.eTag: "\"v1\""], [.date: "Mon, 01 Jan 2024 00:01:00 GMT"]] as [HTTPFields])
  func `a part without the whole's Last-Modified restarts the file without ranges`(
    headers: HTTPFields
  ) async throws {
    let file = try MockedFile()
    // The server ignores If-Range, and the file has changed.
    file.answer { [dated] in MockedFile.response($0, .ok, dated, Data(count: 1000), cut: 300) }
    file.rest(from: 300, headers)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a part with another Last-Modified restarts the file`() async throws {
    let file = try MockedFile()
    file.answer { [dated] in MockedFile.response($0, .ok, dated, Data(count: 1000), cut: 300) }
    file.rest(from: 300, [.lastModified: "Mon, 01 Jan 2024 00:00:01 GMT"])
    file.whole(cut: 400, dated)
    file.rest(from: 400, dated)
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, "bytes=400-"] && file.written == file.bytes)
  }

  @Test(
    arguments: [
      (nil, "gzip"), ("gzip", nil), ("gzip", "x-own"), ("gzip, x-own", "gzip"), ("identity", "gzip"), ("gzip", "identity"),
      (nil, "identity"), ("GZIP", "gzip"),
    ] as [(String?, String?)])
  func `a part in another content coding restarts the file without ranges, even with the same ETag`(
    first: String?, second: String?
  ) async throws {
    let file = try MockedFile()
    let isSame = (first ?? "identity").lowercased() == (second ?? "identity").lowercased()
    let old = isSame ? file.bytes : Data(count: 1000)
    let headers: HTTPFields = [.eTag: "\"v1\""]
    let whole = headers.adding(.contentLength, "1000").coded(first)
    file.answer { MockedFile.response($0, .ok, whole, old, cut: 300) }
    file.rest(from: 300, headers.adding(.contentLength, "700").coded(second))
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == (isSame ? [nil, "bytes=300-"] : [nil, "bytes=300-", nil]) && file.written == file.bytes)
  }

  @Test func `a part in another content coding than an earlier process had restarts the file`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300, [.eTag: "\"v1\"", .contentLength: "700", .contentEncoding: "gzip"])
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test(
    arguments: [
      "bytes 300-999/1000", "bytes 0-299/1000", "bytes 0-999/1001", "bytes 0-999/*", "bytes 0-998/999", "bytes */1000",
      "items 0-9/10", "",
    ])
  func `a 200 with a Content-Range that is not the whole is refused`(range: String) async throws {
    let file = try MockedFile()
    file.whole([.eTag: "\"v1\"", .contentRange: range])
    let error = await failure { _ = try await file.download() }
    #expect(error.map(reason) == .invalidResponse("the Content-Range of a 200 is not that of the whole file"))
    #expect(file.names == [])
  }

  @Test(arguments: [HTTPResponse.Status.ok, .nonAuthoritativeInformation])
  func `a 200 with the Content-Range of the rest restarts the file without ranges`(status: HTTPResponse.Status) async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.answer { [bytes = file.bytes] in
      MockedFile.response($0, status, [.eTag: "\"v1\"", .contentRange: "bytes 300-999/1000"], bytes[300...])
    }
    file.whole(cut: 400)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, nil] && file.written == file.bytes)
  }

  @Test func `a 200 with the Content-Range of the whole is accepted`() async throws {
    let file = try MockedFile()
    file.whole([.eTag: "\"v1\"", .contentRange: "bytes 0-999/1000"])
    #expect(try await file.download().size == 1000)
    #expect(file.written == file.bytes)
  }

  @Test func `a 203 transformed by a proxy is not resumed`() async throws {
    let file = try MockedFile()
    file.answer { MockedFile.response($0, .nonAuthoritativeInformation, [.eTag: "\"v1\""], Data(count: 1000), cut: 300) }
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `a changed file is sent completely and replaces the old bytes`() async throws {
    let file = try MockedFile()
    let old = Data(repeating: 7, count: 2000)
    file.answer { MockedFile.response($0, .ok, [.eTag: "\"old\""], old, cut: 1500) }
    file.whole(cut: 100)
    file.rest(from: 100)
    let download = try await file.download()
    #expect(file.sent.map { $0.headers[.ifRange] } == [nil, "\"old\"", "\"v1\""])
    #expect(file.written == file.bytes && download.size == 1000)
  }

  @Test(arguments: [500, 900]) func `a file that became shorter has only new bytes`(old: Int) async throws {
    let file = try MockedFile(size: 500)
    var policy = file.policy
    policy.retries = 2
    file.answer { MockedFile.response($0, .ok, [.eTag: "\"old\""], Data(count: 1000), cut: old) }
    file.whole(cut: 100)
    for start in [100, 200, 300] { file.rest(from: start, cut: 100) }
    file.rest(from: 400)
    #expect(try await file.download(policy: policy).interruptions == 5)
    #expect(file.written == file.bytes)
  }

  @Test func `a part shorter than requested is followed by the next one`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, to: 600)
    file.rest(from: 600)
    #expect(try await file.download().interruptions == 1)
    #expect(file.ranges == [nil, "bytes=300-", "bytes=600-"] && file.written == file.bytes)
  }

  @Test(
    arguments: [
      [.eTag: "W/\"v1\""], [.eTag: "v1"], [.eTag: "\"v\"1\""], [.eTag: "\"v 1\""], [:],
      [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT"],
      [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:00:59 GMT"],
      [.eTag: "\"\u{E9}\""],
      [.eTag: "W/\"v1\"", .lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:01:00 GMT"],
      [.eTag: "\"v1\"", .acceptRanges: "none"], [.lastModified: "never", .date: "Mon, 01 Jan 2024 00:01:00 GMT"],
    ] as [HTTPFields])
  func `a file without a strong validator or without ranges restarts`(headers: HTTPFields) async throws {
    let file = try MockedFile()
    file.whole(cut: 300, headers)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, nil] && file.sent.allSatisfy { $0.headers[.ifRange] == nil })
    #expect(file.written == file.bytes)
  }

  @Test func `a Last-Modified one minute before Date is a validator`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300, dated)
    file.rest(from: 300, dated)
    _ = try await file.download()
    #expect(file.sent.last?.headers[.ifRange] == "Mon, 01 Jan 2024 00:00:00 GMT" && file.written == file.bytes)
  }

  @Test(arguments: [true, false])
  func `a 416 with the validator after all bytes of an unknown total completes the file`(isDated: Bool)
    async throws
  {
    let file = try MockedFile()
    let headers = isDated ? dated : [.eTag: "\"v1\""]
    file.unknownLength(headers, file.bytes)
    file.status(.rangeNotSatisfiable, headers.adding(.contentRange, "bytes */1000"))
    #expect(try await file.download().size == 1000)
    #expect(file.ranges == [nil, "bytes=1000-"] && file.written == file.bytes)
  }

  @Test(arguments: [true, false])
  func `a 416 without the validator restarts a file of unknown total`(isDated: Bool)
    async throws
  {
    let file = try MockedFile(size: 300)
    file.unknownLength(isDated ? dated : [.eTag: "\"v1\""], Data(count: 300))
    // The file has changed, the server ignores If-Range, and the new file is as long as the old part.
    file.status(.rangeNotSatisfiable, [.contentRange: "bytes */300"])
    file.whole()
    #expect(try await file.download().size == 300)
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test(arguments: [[:], [.contentRange: "bytes */*"], [.eTag: "\"v1\"", .contentRange: "bytes */1000"]] as [HTTPFields])
  func `a 416 after all bytes of a known total completes the file, even without a total`(headers: HTTPFields)
    async throws
  {
    let file = try MockedFile()
    await file.leaveWhole()
    file.status(.rangeNotSatisfiable, headers)
    #expect(try await file.download().resumed == 1000)
    #expect(file.ranges == [nil, "bytes=1000-"] && file.written == file.bytes)
  }

  @Test(arguments: [[.contentRange: "bytes 0-1/1000"], [.contentRange: "bytes */1001"], [.eTag: "\"v2\""]] as [HTTPFields])
  func `another total after all bytes, or another version, restarts the file`(headers: HTTPFields) async throws {
    let file = try MockedFile()
    await file.leaveWhole()
    file.status(.rangeNotSatisfiable, headers)
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, "bytes=1000-", nil] && file.written == file.bytes)
  }

  @Test func `an unsatisfiable range of an unknown total restarts the file`() async throws {
    let file = try MockedFile()
    file.unknownLength([.eTag: "\"v1\""], file.bytes)
    file.status(.rangeNotSatisfiable)
    file.whole()
    #expect(try await file.download().size == 1000)
    #expect(file.ranges == [nil, "bytes=1000-", nil] && file.written == file.bytes)
  }

  @Test(
    arguments: [
      [.contentRange: "bytes */999"], [.contentRange: "bytes */*"], [:], [.contentRange: "bytes */300", .eTag: "\"v2\""],
      [.contentRange: "bytes */300"],
    ] as [HTTPFields])
  func `an unsatisfiable range restarts the file in other cases too`(headers: HTTPFields) async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.status(.rangeNotSatisfiable, headers)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a failed precondition restarts the file`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.status(.preconditionFailed)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a file that changes with each request ends with an error`() async throws {
    let file = try MockedFile()
    for _ in 0..<20 {
      file.whole(cut: 300)
      file.status(.preconditionFailed)
    }
    let error = await failure { _ = try await file.download() }
    // The first change is free. Five more interruptions of either kind are too many. The part can be resumed.
    #expect(error is TransportError && file.sent.count == 7)
  }

  @Test func `no coding is requested, and a coded body that is stored as sent can be resumed`() async throws {
    let file = try MockedFile()
    let headers: HTTPFields = [.eTag: "\"v1\"", .contentEncoding: "gzip"]
    file.whole(cut: 300, headers.adding(.contentLength, "1000"))
    file.rest(from: 300, headers.adding(.contentLength, "700"))
    _ = try await file.download(edit: { $0.headers[.acceptEncoding] = "gzip" })
    #expect(file.sent.map { $0.headers[.acceptEncoding] } == ["identity", "identity"] && file.written == file.bytes)
  }

  @Test func `a coded body with unknown decoding restarts`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300, [.eTag: "\"v1\"", .contentEncoding: "br", .reprDigest: wrongDigest])
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `a decoded body is not resumed, and its checksum is not the file's`() async throws {
    let file = try MockedFile()
    let zipped = Data(Gzip.stored(Array(file.bytes)))
    let headers: HTTPFields = [
      .eTag: "\"v1\"", .contentEncoding: "gzip", .contentLength: "\(zipped.count)", .reprDigest: wrongDigest,
    ]
    file.answer { MockedFile.response($0, .ok, headers, zipped, cut: 10) }
    file.answer { MockedFile.response($0, .ok, headers, zipped) }
    let download = try await file.download(edit: { $0.options.decompression = .standard })
    #expect(file.ranges == [nil, nil] && file.written == file.bytes && download.verified.isEmpty)
  }

  @Test func `the length of a decoded body is not compared`() async throws {
    let file = try MockedFile()
    let headers: HTTPFields = [.eTag: "\"v1\"", .contentEncoding: "x-own", .contentLength: "1000"]
    file.whole(cut: 300, headers)
    file.answer { [bytes = file.bytes, wrongDigest] in
      Response(
        status: .ok, headers: headers, body: .data(bytes), trailers: [.contentDigest: wrongDigest], url: $0.url)
    }
    let download = try await file.download(edit: { $0.options.decompression = .standard })
    #expect(file.ranges == [nil, nil] && file.written == file.bytes && download.verified.isEmpty)
  }

  @Test func `a server that alternates between two files is abandoned`() async throws {
    let file = try MockedFile()
    for _ in 1...20 {
      file.answer { MockedFile.response($0, .ok, [.eTag: "\"a\""], Data(count: 100), cut: 60) }
      file.answer { MockedFile.response($0, .ok, [.eTag: "\"b\""], Data(count: 50), cut: 40) }
    }
    var policy = file.policy
    policy.retries = 3
    await #expect(throws: (any Error).self) { try await file.download(policy: policy) }
    #expect(file.sent.count < 12)
  }
}

extension MockedFile {
  /// A 200 without a length, which breaks off behind these bytes.
  fileprivate func unknownLength(_ headers: HTTPFields, _ bytes: Data) {
    answer { request in
      let pieces = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(bytes)
        continuation.finish(throwing: Self.broken(request))
      }
      return Response(status: .ok, headers: headers, body: .stream(pieces), url: request.url)
    }
  }
}

extension HTTPFields {
  fileprivate func coded(_ coding: String?) -> HTTPFields { coding.map { adding(.contentEncoding, $0) } ?? self }

  fileprivate func adding(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
    var fields = self
    fields[name] = value
    return fields
  }
}
