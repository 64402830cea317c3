import Faraday
import FaradayTesting
import Foundation
import Testing

@testable import FaradayStreams

/// What a server may answer to a request for the rest of a file.
@Suite struct DownloadRangeTests {
  @Test(arguments: [
    "bytes 0-999/1000", "bytes 299-999/1000", "bytes 301-999/1000", "bytes 300-999/1001", "bytes 300-999/*", "bytes 300-998/1000",
    "bytes 300-999", "bytes 300-1000/1000", "bytes 999-300/1000", "bytes */1000", "items 300-999/1000", "bytes 300-999/-1", "",
    "bytes 300-99999999999999999999/1000", "bytes 300-9223372036854775807/9223372036854775807",
  ])
  func `a part with a wrong Content-Range starts the file again without ranges`(range: String) async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v1\"", .contentRange: range])
    file.whole(cut: 200)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, nil])
    #expect(file.written == file.bytes)
  }

  @Test func `a part without Content-Range starts the file again`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.answer { [bytes = file.bytes] in MockedFile.response($0, .partialContent, [.eTag: "\"v1\""], bytes[300...]) }
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `several parts in one body start the file again`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v1\"", .contentType: "multipart/byteranges; boundary=x"])
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a part of another version starts the file again`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, [.eTag: "\"v2\""])
    file.whole(cut: 400, [.eTag: "\"v2\""])
    file.rest(from: 400, [.eTag: "\"v2\""])
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil, "bytes=400-"] && file.written == file.bytes)
  }

  @Test func `a part without the ETag of the whole may be of another version, and starts the file again without ranges`()
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

  @Test func `a part need not repeat the Last-Modified of the whole, but may not have another`() async throws {
    let file = try MockedFile()
    let headers: HTTPFields = [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:00:01 GMT"]
    file.whole(cut: 300, headers)
    file.rest(from: 300, cut: 100, [:])
    file.rest(from: 400, [.lastModified: "Mon, 01 Jan 2024 00:00:01 GMT"])
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", "bytes=400-", nil] && file.written == file.bytes)
  }

  @Test func `a changed file is sent whole, and replaces what was there`() async throws {
    let file = try MockedFile()
    let old = Data(repeating: 7, count: 2000)
    file.answer { MockedFile.response($0, .ok, [.eTag: "\"old\""], old, cut: 1500) }
    file.whole(cut: 100)
    file.rest(from: 100)
    let download = try await file.download()
    #expect(file.sent.map { $0.headers[.ifRange] } == [nil, "\"old\"", "\"v1\""])
    #expect(file.written == file.bytes && download.size == 1000)
  }

  @Test(arguments: [500, 900]) func `of a file that became shorter, all bytes are new ones`(old: Int) async throws {
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

  @Test func `a part shorter than what was asked for is followed by the next`() async throws {
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
      [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:00:00 GMT"],
      [.eTag: "W/\"v1\"", .lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:01:00 GMT"],
      [.eTag: "\"v1\"", .acceptRanges: "none"], [.lastModified: "never", .date: "Mon, 01 Jan 2024 00:01:00 GMT"],
    ] as [HTTPFields])
  func `a file without a strong validator, or without ranges, starts again`(headers: HTTPFields) async throws {
    let file = try MockedFile()
    file.whole(cut: 300, headers)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, nil] && file.sent.allSatisfy { $0.headers[.ifRange] == nil })
    #expect(file.written == file.bytes)
  }

  @Test func `a Last-Modified that is older than the response is a validator`() async throws {
    let file = try MockedFile()
    let headers: HTTPFields = [.lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", .date: "Mon, 01 Jan 2024 00:00:01 GMT"]
    file.whole(cut: 300, headers)
    file.rest(from: 300, headers)
    _ = try await file.download()
    #expect(file.sent.last?.headers[.ifRange] == "Mon, 01 Jan 2024 00:00:00 GMT" && file.written == file.bytes)
  }

  @Test func `nothing behind the bytes that are here: the file is whole already`() async throws {
    let file = try MockedFile()
    let chunked: HTTPFields = [.eTag: "\"v1\""]
    // Its length was not known: all bytes came, and the end did not.
    file.answer { [bytes = file.bytes] request in
      let pieces = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(bytes)
        continuation.finish(throwing: MockedFile.broken(request))
      }
      return Response(status: .ok, headers: chunked, body: .stream(pieces), url: request.url)
    }
    file.status(.rangeNotSatisfiable, [.contentRange: "bytes */1000"])
    #expect(try await file.download().size == 1000)
    #expect(file.ranges == [nil, "bytes=1000-"] && file.written == file.bytes)
  }

  @Test(arguments: [[:], [.contentRange: "bytes */*"], [.eTag: "\"v1\"", .contentRange: "bytes */1000"]] as [HTTPFields])
  func `nothing behind all bytes of a known total: the file is whole, also if the server names no total`(headers: HTTPFields)
    async throws
  {
    let file = try MockedFile()
    await file.leaveWhole()
    file.status(.rangeNotSatisfiable, headers)
    #expect(try await file.download().resumed == 1000)
    #expect(file.ranges == [nil, "bytes=1000-"] && file.written == file.bytes)
  }

  @Test(arguments: [[.contentRange: "bytes 0-1/1000"], [.contentRange: "bytes */1001"], [.eTag: "\"v2\""]] as [HTTPFields])
  func `another total behind all bytes, or another version, starts the file again`(headers: HTTPFields) async throws {
    let file = try MockedFile()
    await file.leaveWhole()
    file.status(.rangeNotSatisfiable, headers)
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, "bytes=1000-", nil] && file.written == file.bytes)
  }

  @Test func `of a total that nobody knows, a range that is not there starts the file again`() async throws {
    let file = try MockedFile()
    file.answer { [bytes = file.bytes] request in
      let pieces = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(bytes)
        continuation.finish(throwing: MockedFile.broken(request))
      }
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(pieces), url: request.url)
    }
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
  func `a range that is not there otherwise starts the file again`(headers: HTTPFields) async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.status(.rangeNotSatisfiable, headers)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", nil] && file.written == file.bytes)
  }

  @Test func `a failed precondition starts the file again`() async throws {
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
    // The first change is free; five more interruptions of either kind are too many. What has come can be continued.
    #expect(error is TransportError && file.sent.count == 7)
  }

  @Test func `no coding is asked for, and a coded body that is stored as it was sent can be continued`() async throws {
    let file = try MockedFile()
    let headers: HTTPFields = [.eTag: "\"v1\"", .contentEncoding: "gzip"]
    file.whole(cut: 300, headers.adding(.contentLength, "1000"))
    file.rest(from: 300, headers.adding(.contentLength, "700"))
    _ = try await file.download(edit: { $0.headers[.acceptEncoding] = "gzip" })
    #expect(file.sent.map { $0.headers[.acceptEncoding] } == ["identity", "identity"] && file.written == file.bytes)
  }

  @Test func `a coded body of which nobody knows whether it was decoded starts again`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300, [.eTag: "\"v1\"", .contentEncoding: "br", .reprDigest: "sha-256=:AAAA:"])
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `a compressed body that is decoded is not continued, and its checksum is not that of the file`() async throws {
    let file = try MockedFile()
    let zipped = Data(Gzip.stored(Array(file.bytes)))
    let headers: HTTPFields = [
      .eTag: "\"v1\"", .contentEncoding: "gzip", .contentLength: "\(zipped.count)", .reprDigest: "sha-256=:AAAA:",
    ]
    file.answer { MockedFile.response($0, .ok, headers, zipped, cut: 10) }
    file.answer { MockedFile.response($0, .ok, headers, zipped) }
    let download = try await file.download(edit: { $0.options.decompression = .standard })
    #expect(file.ranges == [nil, nil] && file.written == file.bytes && download.verified.isEmpty)
  }

  @Test func `of a body that is decoded nothing is compared, not even if it is as long as the coded one was`() async throws {
    let file = try MockedFile()
    let headers: HTTPFields = [.eTag: "\"v1\"", .contentEncoding: "x-own", .contentLength: "1000"]
    file.whole(cut: 300, headers)
    file.answer { [bytes = file.bytes] in
      Response(
        status: .ok, headers: headers, body: .data(bytes), trailers: [.contentDigest: "sha-256=:AAAA:"], url: $0.url)
    }
    let download = try await file.download(edit: { $0.options.decompression = .standard })
    #expect(file.ranges == [nil, nil] && file.written == file.bytes && download.verified.isEmpty)
  }
}

extension HTTPFields {
  fileprivate func adding(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
    var fields = self
    fields[name] = value
    return fields
  }
}
