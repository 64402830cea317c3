import FaradayTesting
import Foundation
import Testing

@Suite struct InterchangeTests {
  @Test func `the program over the other adapter differs in the import and one word`() throws {
    let (curl, other) = (try Pages.lines(of: "OverCurl.swift"), try Pages.lines(of: "OverURLSession.swift"))
    try #require(curl.count == other.count)
    let differences = zip(curl, other).filter { $0 != $1 }
    #expect(
      differences.map(\.0) == [
        "import FaradayCurl", "func overCurl(server: String, path: String) async throws -> Int64 {",
        "let connection = try Connection(server, adapter: CurlAdapter())",
      ])
    for (line, counterpart) in differences {
      #expect(line.replacingOccurrences(of: "Curl", with: "URLSession") == counterpart)
    }
  }

  @Test(arguments: [overCurl, overURLSession])
  func `the program behaves the same over both adapters`(program: @Sendable (String, String) async throws -> Int64) async throws {
    let server = try LocalServer()
    let path = FileManager.default.temporaryDirectory.path + "/faraday-" + UUID().uuidString
    try Data(count: 300_000).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try await program(server.url + "/", path) == 1_000_000)
    #expect(server.requestCount == 2)
  }
}
