import FaradayCore
import FaradayTesting
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@Suite struct ContentDecodingTests {
  private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

  // "Hello, Faraday!" by gzip and zlib.
  private let hello = (
    gzip: Gzip.stored(Array("Hello, Faraday!".utf8)), zlib: Data(base64Encoded: "eJzzSM3JyddRcEssSkxJrFQEACkkBRo=") ?? Data()
  )

  private func request(
    _ method: HTTPRequest.Method = .get, _ decompression: Decompression? = .standard, headers: HTTPFields = [:]
  ) throws -> Request {
    var request = try Request(method, "http://user:pass@example.com/a?token=secret", headers: headers)
    request.options.decompression = decompression
    return request
  }

  private func response(
    _ body: Body, _ codings: String..., status: HTTPResponse.Status = .ok
  ) throws -> Response {
    var headers = HTTPFields()
    headers[values: .contentEncoding] = codings
    headers[.contentLength] = body.length.map(String.init)
    return Response(status: status, headers: headers, body: body, url: try request().url)
  }

  private func streamed(_ bytes: [UInt8], by count: Int) -> Body {
    .stream(Pieces(stride(from: 0, to: bytes.count, by: count).map { Data(bytes[$0..<min($0 + count, bytes.count)]) }))
  }

  @Test func `Accept-Encoding offers gzip and deflate if bodies are decoded and the request has no other`() throws {
    let offered = try #require(try request().acceptingCodings().headers[.acceptEncoding])
    #expect(offered.hasPrefix("gzip, deflate"))
    #expect(try request(.get, nil).acceptingCodings().headers[.acceptEncoding] == nil)
    #expect(try request(headers: [.acceptEncoding: "br"]).acceptingCodings().headers[values: .acceptEncoding] == ["br"])
    #expect(try request(headers: [.acceptEncoding: ""]).acceptingCodings().headers[values: .acceptEncoding] == [""])
  }

  @Test func `a range request accepts no coding, because a part of an encoded body cannot be decoded`() throws {
    #expect(try request(headers: [.range: "bytes=100-"]).acceptingCodings().headers[.acceptEncoding] == "identity")
    #expect(try request(.get, nil, headers: [.range: "bytes=100-"]).acceptingCodings().headers[.acceptEncoding] == nil)
  }

  @Test func `a short body in memory is decoded at once, and its headers stay`() throws {
    let encoded = try response(.data(Data(hello.gzip)), "gzip")
    let decoded = try encoded.decoded(for: request())
    #expect(decoded.body.data == Data("Hello, Faraday!".utf8))
    #expect(decoded.headers == encoded.headers)
    #expect(try response(.data(hello.zlib), "deflate").decoded(for: request()).body.data == Data("Hello, Faraday!".utf8))
  }

  @Test func `a body is decoded even if the request has its own Accept-Encoding`() throws {
    let decoded = try response(.data(Data(hello.gzip)), "x-gzip").decoded(for: request(headers: [.acceptEncoding: "gzip"]))
    #expect(decoded.body.data == Data("Hello, Faraday!".utf8))
  }

  @Test func `a long or streamed body is decoded while it is read`() async throws {
    let encoded = Gzip.stored(Array(content))
    for body in [.data(Data(encoded)), streamed(encoded, by: 1000), streamed(encoded, by: 100_000)] {
      let decoded = try response(body, "gzip").decoded(for: request())
      #expect(decoded.body.isStreamed)
      #expect(decoded.body.length == nil)
      #expect(decoded.body.isReplayable == body.isReplayable)
      #expect(try await decoded.body.collect() == content)
    }
  }

  @Test func `a body in memory can be read again and is decoded again`() async throws {
    let decoded = try response(.data(Data(Gzip.stored(Array(content)))), "gzip").decoded(for: request())
    for _ in 0..<2 { #expect(try await decoded.body.collect() == content) }
  }

  @Test func `codings of several fields are decoded from last to first`() async throws {
    let stacked = Gzip.stored(Array(hello.zlib))
    for body in [.data(Data(stacked)), streamed(stacked, by: 1)] {
      #expect(try await response(body, "identity, deflate", "GZIP").decoded(for: request()).body.utf8Text() == "Hello, Faraday!")
    }
  }

  @Test func `a body is unchanged if decoding is off or the coding is unknown or absent`() throws {
    let body = Body.data(Data(hello.gzip))
    #expect(try response(body, "gzip").decoded(for: request(.get, nil)).body.data == body.data)
    #expect(try response(body, "gzip, compress").decoded(for: request()).body.data == body.data)
    #expect(try response(body).decoded(for: request()).body.data == body.data)
    #expect(try response(body, "identity").decoded(for: request()).body.length == Int64(hello.gzip.count))
  }

  @Test func `responses without content are unchanged`() throws {
    #expect(try response(.empty, "gzip").decoded(for: request()).body.isEmpty)
    #expect(try response(.stream(Pieces([]), length: 0), "gzip").decoded(for: request()).body.length == 0)
    let body = Body.stream(Pieces([]), length: 7)
    #expect(try response(body, "gzip").decoded(for: request(.head)).body.length == 7)
    for status in [HTTPResponse.Status.noContent, .notModified] {
      #expect(try response(body, "gzip", status: status).decoded(for: request()).body.length == 7)
    }
  }

  @Test func `a stream without bytes is an empty body`() async throws {
    #expect(try await response(.stream(Pieces([])), "gzip").decoded(for: request()).body.collect().isEmpty)
  }

  @Test func `a truncated or corrupt body fails when it is read, and its head does not`() async throws {
    let cut = hello.gzip.dropLast()
    for body in [.data(Data(cut)), streamed(Array(cut), by: 5), .data(Data("no gzip".utf8)), .data(Data(hello.gzip + [0, 0]))] {
      let decoded = try response(body, "gzip").decoded(for: request())
      #expect(decoded.status == .ok)
      let error = try await #require(throws: TransportError.self) { try await decoded.body.collect() }
      #expect(error.code == .decompressionFailed)
      #expect(error.phase == .receiving)
      #expect(error.method == .get)
      #expect(!"\(error)".contains("secret") && !"\(error)".contains("pass@"), "\(error)")
    }
  }

  @Test func `exceeding either limit is an error of reading`() async throws {
    let bomb = Array(Gzip.zeros(3 << 20).joined())
    for limits in [Decompression(maximumSize: 2 << 20, maximumRatio: 5000), Decompression(maximumRatio: 900)] {
      for body in [.data(Data(bomb)), streamed(bomb, by: 100)] {
        let decoded = try response(body, "gzip").decoded(for: request(.get, limits))
        var count = 0
        let error = try await #require(throws: TransportError.self) {
          for try await piece in decoded.body { count += piece.count }
        }
        #expect(error.code == .decompressionLimit)
        #expect((1 << 19...2 << 20).contains(count))
      }
    }
    let decoded = try response(.data(Data(bomb)), "gzip").decoded(for: request(.get, Decompression(maximumRatio: 2000)))
    #expect(try await decoded.body.collect().count == 3 << 20)
  }

  @Test func `a decoded piece is delivered before more of the body is read`() async throws {
    let encoded = Gzip.stored(Array(content))
    let source = Counted(pieces: [Data(encoded[..<150_000]), Data(encoded[150_000...])])
    var iterator = try response(.stream(source), "gzip").decoded(for: request()).body.makeAsyncIterator()
    #expect(source.asked == 0)
    for _ in 0..<2 { #expect(try await iterator.next()?.count == 65536) }
    #expect(source.asked == 1)
    while try await iterator.next() != nil {}
    #expect(source.asked == 3)
  }

  @Test func `the encoded body is released when it cannot be decoded`() async throws {
    let source = Counted(pieces: [Data("no gzip".utf8), Data("more".utf8)])
    var iterator = try response(.stream(source), "gzip").decoded(for: request()).body.makeAsyncIterator()
    _ = await #expect(throws: TransportError.self) { try await iterator.next() }
    #expect(source.asked == 1)
    #expect(source.isDropped)
    _ = await #expect(throws: TransportError.self) { try await iterator.next() }
    #expect(source.asked == 1)
  }

  @Test func `an error of the encoded body is thrown unchanged after the decoded bytes`() async throws {
    struct Broken: Error {}
    let (pieces, source) = AsyncThrowingStream.makeStream(of: Data.self)
    source.yield(Data(hello.gzip.prefix(20)))
    source.finish(throwing: Broken())
    let body = Body.stream(pieces)
    var iterator = try response(body, "gzip").decoded(for: request()).body.makeAsyncIterator()
    #expect(try await iterator.next() == Data("Hello".utf8))
    _ = await #expect(throws: Broken.self) { try await iterator.next() }
  }

  @Test func `a cancelled task stops decoding`() async throws {
    let decoded = try response(.data(Data(Gzip.stored(Array(content)))), "gzip").decoded(for: request())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await decoded.body.collect()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// Pieces, and the number of times that a piece was requested.
private final class Counted: AsyncSequence, Sendable {
  typealias Element = Data
  private let pieces: [Data]
  private let state = Mutex((asked: 0, isDropped: false))

  init(pieces: [Data]) { self.pieces = pieces }

  var asked: Int { state.withLock { $0.asked } }
  var isDropped: Bool { state.withLock { $0.isDropped } }

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  final class Iterator: AsyncIteratorProtocol {
    private let source: Counted
    init(source: Counted) { self.source = source }
    deinit { source.state.withLock { $0.isDropped = true } }

    func next() async -> Data? {
      let number = source.state.withLock { state in
        state.asked += 1
        return state.asked
      }
      return number <= source.pieces.count ? source.pieces[number - 1] : nil
    }
  }
}
