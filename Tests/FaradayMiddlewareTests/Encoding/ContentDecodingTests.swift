import Faraday
import FaradayTesting
import FaradayURLSession
import TestSupport
import Testing

@Suite struct DecompressTests {
  private func sent(_ connection: Connection, edit: (inout Request) throws -> Void = { _ in }) async throws -> String? {
    let inspected = try await connection.get("inspect", edit: edit)
    let headers = try await inspected.json()["headers"]
    return headers?.array?.first { $0[0]?.string?.lowercased() == "accept-encoding" }?[1]?.string
  }

  @Test func `the standard list accepts compressed responses and decodes them`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: .standard)
    #expect(try await connection.get("gzip/text").text() == "Hello, gzip!")
    #expect(try await sent(connection)?.hasPrefix("gzip, deflate") == true)
    let error = await #expect(throws: TransportError.self) { try await connection.get("gzip?size=60000000") }
    #expect(error?.code == .decompressionLimit)
  }

  @Test func `limits of ContentDecoding apply to all requests that have none of their own`() async throws {
    let server = try LocalServer()
    let connection = try Connection(
      server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: [.contentDecoding(limits: Decompression(maximumSize: 5))]
    )
    let error = await #expect(throws: TransportError.self) { try await connection.get("gzip/text") }
    #expect(error?.code == .decompressionLimit)
    #expect(try await connection.get("gzip/text") { $0.options.decompression = .standard }.text() == "Hello, gzip!")
  }

  @Test func `a request with its own Accept-Encoding gets the encoded body`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: .standard)
    let encoded = try await connection.get("gzip/text", headers: ["Accept-Encoding": "gzip"]).body.collect()
    #expect(encoded.starts(with: [0x1F, 0x8B]))
    #expect(try await sent(connection) { $0.headers[.acceptEncoding] = "identity" } == "identity")
  }

  @Test func `no compression is requested over an adapter without encoded bodies`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: URLSessionAdapter(), middleware: .standard)
    #expect(try await connection.get("hello").text() == "Hello, world!")
    let mock = MockAdapter(capabilities: URLSessionAdapter().capabilities)
    try mock.stub(.get, path: "/x")
    _ = try await Connection("http://host/", adapter: mock, middleware: .standard).get("x")
    #expect(mock.recorded.first?.request.headers[.acceptEncoding] == nil)
  }
}
