@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestServers
import Testing

@Suite struct CompressionTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `a small response that decodes to a large one is stopped by the ratio limit`(delivery: Delivery) async throws {
    let error = try await transportError {
      try await connection.get("gzip?size=50000000") {
        $0.options.decompression = .standard
        $0.options.delivery = delivery
      }
    }
    #expect(error.code == .decompressionLimit)
    #expect(error.message.contains("200 times"))
    if delivery == .buffered { #expect((error.partialResponse?.body.length ?? 0) < 16 << 20) }
  }

  @Test(.enabled(if: CaddyServer.isInstalled, "needs caddy"), arguments: [Delivery.buffered, .streamed])
  func `a real server's zstd is decoded`(delivery: Delivery) async throws {
    let server = try CaddyServer()
    defer { server.stop() }
    let content = Data((0..<50_000).map { "\($0) " }.joined().utf8)
    try content.write(to: URL(filePath: server.files + "/numbers.txt"))
    let response = try await Connection(server.url, adapter: CurlAdapter()).get("encoded/numbers.txt") {
      $0.options.tls.caFile = server.caFile
      $0.options.decompression = .standard
      $0.options.delivery = delivery
    }
    // gzip if this machine has no libzstd.
    let offersZstd = try await connection.get("inspect") { $0.options.decompression = .standard }.body.utf8Text().contains("zstd")
    #expect(response.headers[.contentEncoding] == (offersZstd ? "zstd" : "gzip"))
    #expect(try await response.body.collect() == content)
  }

  @Test func `a compressed response is stopped by the size limit`() async throws {
    let error = try await transportError {
      try await connection.get("gzip?size=50000000") {
        $0.options.decompression = Decompression(maximumSize: 5_000_000, maximumRatio: 5000)
      }
    }
    #expect(error.code == .decompressionLimit)
    #expect(error.message.contains("5000000 bytes"))
  }

  @Test(arguments: [
    ("Content-Encoding: gzip\r\nContent-Encoding: identity", TransportError.Code.decompressionLimit),
    ("Transfer-Encoding: gzip, chunked", .malformedResponse),
  ])
  func `content codings are decoded within limits, and transfer codings are refused`(
    fields: String, code: TransportError.Code
  ) async throws {
    let error = try await transportError {
      try await zeros(20_000_000, fields).get { $0.options.decompression = .standard }
    }
    #expect(error.code == code, "\(error)")
  }

  @Test func `a small compressed body in one chunk does not exceed the ratio limit`() async throws {
    let connection = try zeros(5_000_000, "Content-Encoding: gzip")
    let response = try await connection.get { $0.options.decompression = Decompression(maximumRatio: 1100) }
    #expect(response.body.data == Data(count: 5_000_000))
  }

  @Test(arguments: [Delivery.buffered, .streamed])
  func `an unrequested transfer coding is an error and is not decoded silently`(delivery: Delivery) async throws {
    let error = try await transportError {
      try await zeros(1000, "Transfer-Encoding: gzip, chunked").get { $0.options.delivery = delivery }
    }
    #expect(error.code == .malformedResponse)
  }

  @Test func `the total of the progress is known if an encoded body is not decoded`() async throws {
    let log = Log<TransferProgress>()
    let raw = try await connection.get("gzip/text") { $0.options.onDownloadProgress = { log.append($0) } }
    let size = try #require(raw.body.length)
    #expect(log.elements.last == TransferProgress(bytes: size, total: size))
  }

  /// A server of zero bytes in gzip, in chunks, and a connection to it.
  private func zeros(_ count: Int, _ fields: String) throws -> Connection {
    var bytes = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)
    if !fields.contains("chunked") { bytes += Array("Transfer-Encoding: chunked\r\n".utf8) }
    bytes += Array("\r\n".utf8)
    for piece in Gzip.zeros(count) { bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8) }
    return try RawServer.answering(bytes + Array("0\r\n\r\n".utf8)).connection()
  }
}
