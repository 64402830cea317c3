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
}
