@_spi(Adapters) import FaradayCore
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
  func `a final 417 is an ordinary head, even without a body`(delivery: Delivery) async throws {
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
