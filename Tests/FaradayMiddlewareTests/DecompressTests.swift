import Faraday
import FaradayTesting
import FaradayURLSession
import TestSupport
import Testing

@Suite struct DecompressTests {
  private func sent(_ connection: Connection, edit: (inout Request) throws -> Void = { _ in }) async throws -> String? {
    let inspected = try await connection.get("inspect", edit: edit)
    let headers = inspected.json?["headers"]
    return headers?.array?.first { $0[0]?.string?.lowercased() == "accept-encoding" }?[1]?.string
  }

  @Test func `the standard list asks for compressed responses and decodes them`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: .standard)
    #expect(try await connection.get("gzip/text").text() == "Hello, gzip!")
    #expect(try await sent(connection)?.hasPrefix("gzip, deflate") == true)
    let error = await #expect(throws: TransportError.self) { try await connection.get("gzip?size=60000000") }
    #expect(error?.code == .decompressionLimit)
  }

  @Test func `limits of its own are those of the connection's requests, unless a request has others`() async throws {
    let server = try LocalServer()
    let connection = try Connection(
      server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: [.decompress(limits: Decompression(maximumSize: 5))])
    let error = await #expect(throws: TransportError.self) { try await connection.get("gzip/text") }
    #expect(error?.code == .decompressionLimit)
    #expect(try await connection.get("gzip/text") { $0.options.decompression = .standard }.text() == "Hello, gzip!")
  }

  @Test func `a request with an Accept-Encoding of its own gets what was sent`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: .standard)
    let encoded = try await connection.get("gzip/text", headers: ["Accept-Encoding": "gzip"]).body.collect()
    #expect(encoded.starts(with: [0x1F, 0x8B]))
    #expect(try await sent(connection) { $0.headers[.acceptEncoding] = "identity" } == "identity")
  }

  @Test func `an adapter that cannot give encoded bodies is asked for none`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: URLSessionAdapter(), middleware: .standard)
    #expect(try await connection.get("hello").text() == "Hello, world!")
    let mock = MockAdapter(capabilities: URLSessionAdapter().capabilities)
    try mock.stub(.get, path: "/x")
    _ = try await Connection("http://host/", adapter: mock, middleware: .standard).get("x")
    #expect(mock.recorded.first?.request.headers[.acceptEncoding] == nil)
  }
}
