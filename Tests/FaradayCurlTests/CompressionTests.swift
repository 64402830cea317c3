import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct CompressionTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `a small response that decodes to a large one is stopped by its ratio`(delivery: Delivery) async throws {
    let error = try await transportError {
      try await connection.get("gzip?size=50000000") {
        $0.options.decompression = .standard
        $0.options.delivery = delivery
      }
    }
    #expect(error.code == .decompressionLimit)
    #expect(error.message.contains("200 times"))
    if delivery == .buffered { #expect((error.partialResponse?.body.length ?? 0) < 10 << 20) }
  }

  @Test func `and by its size`() async throws {
    let error = try await transportError {
      try await connection.get("gzip?size=50000000") {
        $0.options.decompression = Decompression(maximumSize: 5_000_000, maximumRatio: 5000)
      }
    }
    #expect(error.code == .decompressionLimit)
    #expect(error.message.contains("5000000 bytes"))
  }

  @Test func `the limit of buffered bodies counts decoded bytes`() async throws {
    let error = try await transportError {
      try await connection.get("gzip?size=1000001") {
        $0.options.decompression = .standard
        $0.options.maximumBodySize = 1_000_000
      }
    }
    #expect(error.code == .bodyTooLarge)
  }

  @Test func `nothing is asked for and nothing decoded unless the request says so`() async throws {
    #expect(try await Inspected(connection.get("inspect")).values("accept-encoding").isEmpty)
    let raw = try await connection.get("gzip/text")
    #expect(try await raw.body.collect().starts(with: [0x1F, 0x8B]))
  }

  @Test func `gzip is asked for and decoded`() async throws {
    let asked = try await Inspected(connection.get("inspect") { $0.options.decompression = .standard })
    let codings = try #require(asked.values("accept-encoding").first)
    #expect(codings.contains("gzip") && codings.contains("deflate"))
    let response = try await connection.get("gzip/text") { $0.options.decompression = .standard }
    #expect(try await response.body.text().contains("gzip"))
    #expect(response.headers[.contentEncoding] == "gzip")
    let large = try await connection.get("gzip?size=1000000") { $0.options.decompression = .standard }
    #expect(large.body.data == Data(count: 1_000_000))
    #expect(large.metrics.bytesReceived < 10_000)
  }

  // "Hello, Faraday!" as each coding, made with zlib, brotli and zstd.
  @Test(arguments: [
    ("deflate", "eJzzSM3JyddRcEssSkxJrFQEACkkBRo="),
    ("br", "CweASGVsbG8sIEZhcmFkYXkhAw=="),
    ("zstd", "KLUv/SAPeQAASGVsbG8sIEZhcmFkYXkh"),
  ])
  func `deflate, br and zstd are decoded`(coding: String, encoded: String) async throws {
    let bytes = Array(try #require(Data(base64Encoded: encoded)))
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n"
    let connection = try RawServer.answering(Array(head.utf8) + bytes).connection()
    let response = try await connection.get { $0.options.decompression = .standard }
    #expect(try await response.body.text() == "Hello, Faraday!")
  }

  @Test func `a response that comes unencoded has no ratio`() async throws {
    let response = try await connection.get("bytes/5000000") { $0.options.decompression = Decompression(maximumRatio: 1) }
    #expect(response.body.length == 5_000_000)
  }
}
