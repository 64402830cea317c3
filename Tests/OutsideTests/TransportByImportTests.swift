import FaradayTesting
import HTTPTypes
import Testing

@Suite struct TransportByImportTests {
  @Test func `the import of an adapter's module is enough to send a request`() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    #expect(try await statusOverCurl(of: server.url + "/status/204") == .noContent)
    #expect(try await statusOverURLSession(of: server.url + "/status/204") == .noContent)
    #expect(try await statusOverCurl(server: server.url, path: "status/404") == .notFound)
    #expect(try await statusOverURLSession(server: server.url, path: "status/404") == .notFound)
  }
}
