import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct DeliveryTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test func `a buffered body over the limit fails and keeps what had arrived`() async throws {
    let error = try await transportError { try await connection.get("bytes/100001") { $0.options.maximumBodySize = 100_000 } }
    #expect(error.code == .bodyTooLarge)
    #expect(error.partialResponse?.status == .ok)
    #expect(try await connection.get("bytes/100000") { $0.options.maximumBodySize = 100_000 }.body.length == 100_000)
  }

  @Test(arguments: [0, 1, 13, 16_384, 65_536, 65_537, 3_000_001])
  func `all three deliveries give the same bytes`(count: Int) async throws {
    let expected = pattern(count)
    #expect(try await connection.get("bytes/\(count)").body.data == expected)

    let streamed = try await connection.get("bytes/\(count)") { $0.options.delivery = .streamed }
    #expect(streamed.body.data == nil)
    #expect(try await streamed.body.collect() == expected)

    let log = Log<[UInt8]>()
    let called = try await connection.get("bytes/\(count)") {
      $0.options.onChunk = { bytes in
        log.append(bytes.withUnsafeBytes { Array($0) })
        return .continue
      }
    }
    #expect(called.body.isEmpty && called.status == .ok)
    #expect(Data(log.elements.joined()) == expected)
  }

  @Test func `a streamed response returns at its head, before the body`() async throws {
    let gate = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
      _ = gate.wait()
      try connection.send("hello")
    }
    let response = try await server.connection().get { $0.options.delivery = .streamed }
    #expect(response.status == .ok)
    gate.open()
    #expect(try await response.body.text() == "hello")
  }

  @Test func `a streamed body is read once`() async throws {
    let response = try await connection.get("hello") { $0.options.delivery = .streamed }
    #expect(try await response.body.text() == "Hello, world!")
    await #expect(throws: (any Error).self) { try await response.body.text() }
  }

  @Test func `chunks are not merged, and the head is seen before them`() async throws {
    let seen = Log<String>()
    let server = try RawServer.answering(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n")
    _ = try await server.connection().get {
      $0.options.onHead = { seen.append("head \($0.status.code)") }
      $0.options.onChunk = { bytes in
        seen.append(String(decoding: bytes.withUnsafeBytes { Array($0) }, as: UTF8.self))
        return .continue
      }
    }
    #expect(seen.elements == ["head 200", "a", "bc", "def"])
  }

  @Test func `what a head or chunk callback throws is what send throws, and the connection is given up`() async throws {
    struct Mine: Error {}
    await #expect(throws: Mine.self) {
      try await connection.get("bytes/1000000") { $0.options.onChunk = { _ in throw Mine() } }
    }
    await #expect(throws: Mine.self) {
      try await connection.get("bytes/1000000") { $0.options.onHead = { _ in throw Mine() } }
    }
    let streamed = try? await connection.get("bytes/1000000") {
      $0.options.delivery = .streamed
      $0.options.onHead = { _ in throw Mine() }
    }
    if let streamed { await #expect(throws: Mine.self) { try await streamed.body.collect() } }
    #expect(try await connection.get("hello").status == .ok)
  }

  @Test func `informational responses come before the final one`() async throws {
    let hints = Log<HTTPResponse>()
    let response = try await connection.get("early-hints") { $0.options.onInformational = { hints.append($0) } }
    #expect(hints.elements.map(\.status.code) == [103])
    #expect(hints.elements[0].headerFields.contains { $0.name.canonicalName == "link" })
    #expect(response.status == .ok)
    #expect(!response.headers.contains { $0.name.canonicalName == "link" })
  }

  @Test func `trailers are known when the body has ended`() async throws {
    let name = try #require(HTTPField.Name("X-Checksum"))
    let buffered = try await connection.get("trailers")
    #expect(buffered.trailers[name] == "abc")
    #expect(buffered.headers[name] == nil)
    let streamed = try await connection.get("trailers") { $0.options.delivery = .streamed }
    #expect(try await streamed.body.text() == "trailing")
    #expect(streamed.trailers[name] == "abc")
  }

  @Test func `repeated header fields stay repeated`() async throws {
    #expect(try await connection.get("cookies").headers[values: .setCookie] == ["a=1", "b=2"])
  }

  @Test func `a consumer that stops reading stops the server`() async throws {
    let written = Atomic<Int>(0)
    let stalled = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      let piece = [UInt8](repeating: 0x61, count: 64 << 10)
      for _ in 0..<4096 {
        try connection.send(piece)
        written.add(piece.count, ordering: .relaxed)
        if written.load(ordering: .relaxed) > 32 << 20 { stalled.open() }
      }
      stalled.open()
    }
    var iterator = try await server.connection().get { $0.options.delivery = .streamed }.body.makeAsyncIterator()
    var read = 0
    // The server goes no further ahead than what the kernel and the buffer hold, however long the reader takes: here the
    // reader reads 4 MiB in small steps, and every step is checked.
    while read < 4 << 20, let piece = try await iterator.next() {
      read += piece.count
      #expect(written.load(ordering: .relaxed) - read < 32 << 20)
    }
    #expect(written.load(ordering: .relaxed) < 40 << 20)
    while let piece = try await iterator.next() { read += piece.count }
    #expect(read == 256 << 20)
  }

  @Test func `pausing keeps every byte, plain, chunked, compressed and both`() async throws {
    for path in ["bytes/6000000", "bytes/6000000?chunked=1000", "bytes/6000000?chunked=100000"] {
      let response = try await connection.get(path) { $0.options.delivery = .streamed }
      #expect(try await slowly(response) == pattern(6_000_000))
    }
    let zeros = try await connection.get("gzip?size=20000000") {
      $0.options.delivery = .streamed
      $0.options.decompression = Decompression(maximumRatio: 2000)
    }
    #expect(try await slowly(zeros) == Data(count: 20_000_000))
  }

  /// Reads so that the buffer is full again and again: between two pieces the engine gets every chance to fill it.
  private func slowly(_ response: Response) async throws -> Data {
    var whole = Data()
    for try await piece in response.body {
      whole.append(piece)
      for _ in 0..<20 { await Task.yield() }
    }
    return whole
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `a 417 that is final is a head like any other, also without a body`(delivery: Delivery) async throws {
    let heads = Log<Int>()
    let connection = try RawServer.answering("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n").connection()
    let response = try await connection.get {
      $0.headers[.expect] = "100-continue"
      $0.options.delivery = delivery
      $0.options.onHead = { heads.append($0.status.code) }
    }
    #expect(response.status.code == 417)
    #expect(try await response.body.collect().isEmpty)
    #expect(heads.elements == [417])
  }

  @Test func `a trailer that looks like a status line does not replace the head`() async throws {
    let connection = try RawServer.answering(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n2\r\nok\r\n0\r\nHTTP/1.1 404 Gone: x\r\nX-T: y\r\n\r\n"
    ).connection()
    let response = try await connection.get()
    #expect(response.status == .ok)
    #expect(response.headers[try #require(HTTPField.Name("X-A"))] == "1")
    #expect(response.trailers[try #require(HTTPField.Name("X-T"))] == "y")
  }
}
