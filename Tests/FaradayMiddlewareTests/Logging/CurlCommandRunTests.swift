import Faraday
import FaradayCurl
import FaradayTesting
import Foundation
import Testing

/// A curl command, run by a shell: the server receives the same as from the request itself.
@Suite struct CurlCommandRunTests {
  private let server: LocalServer
  private let adapter = CurlAdapter()

  init() throws { server = try LocalServer() }

  /// The request according to `/inspect`.
  private struct Seen: Decodable, Equatable {
    let method: String
    let target: String
    let headers: [[String]]
    let framing: String
    let bodyLength: Int
    let bodyText: String?

    init(_ bytes: Data) throws {
      let seen = try JSONDecoder().decode(Fields.self, from: bytes)
      method = seen.method
      target = seen.target
      headers = seen.headers.sorted { $0.joined(separator: ":") < $1.joined(separator: ":") }
      framing = seen.framing
      bodyLength = seen.bodyLength
      bodyText = seen.bodyText
    }

    private struct Fields: Decodable {
      let method: String
      let target: String
      let headers: [[String]]
      let framing: String
      let bodyLength: Int
      let bodyText: String?
    }
  }

  private func compare(_ request: Request, withCurl: Bool = true) async throws {
    let expected = try Seen(try await adapter.send(request).body.collect())
    let command = request.curlCommand(revealingSecrets: true)
    let outcome = try await Shell.run(command)
    #expect(outcome.status == 0)
    #expect(try Seen(outcome.output) == expected, "\(command)")
    if withCurl, let curl = try await Shell.runCurl(command) { #expect(try Seen(curl.output) == expected, "\(command)") }
  }

  private func request(
    _ method: HTTPRequest.Method, _ place: String = "inspect", body: Body = .empty, headers: HTTPFields = [:]
  ) throws -> Request {
    try Request(method, server.url + "/" + place, headers: headers, body: body)
  }

  @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options])
  func `the command sends every method with and without a body`(method: HTTPRequest.Method) async throws {
    try await compare(request(method))
    try await compare(request(method, body: "a body\n'with' \"quotes\""))
  }

  @Test func `the command sends a custom method`() async throws {
    try await compare(request(try #require(HTTPRequest.Method("!#$%&'*+-.^_`|~")), body: "b"))
  }

  @Test func `the command sends bodies of any text`() async throws {
    let all = CurlCommandTests.hostile.filter { !$0.unicodeScalars.contains { $0.value < 0x20 } }.joined(separator: "\n")
    for text in [all, "@/etc/passwd", "@-", "\n", "a\n", "a\r\n\u{0}b"] {
      try await compare(request(.post, body: .text(text)))
    }
    try await compare(request(.post, body: "{}", headers: [.contentType: "application/json", .contentLength: "2"]))
  }

  @Test func `the command sends headers of any text, also repeated and empty ones`() async throws {
    var headers: HTTPFields = [.accept: "", .userAgent: "'me'", .authorization: "Bearer secret", .cookie: "a=1; b=2"]
    for text in CurlCommandTests.hostile where text.utf8.allSatisfy({ $0 >= 0x20 }) {
      headers.append(HTTPField(name: .from, value: text))
    }
    try await compare(request(.get, headers: headers))
  }

  @Test(arguments: [
    "inspect?a%5B%5D=1&b=%7Bx,y%7D", "inspect?q=%27%20%60%24&'$(a)'", "inspect?a=1#fragment",
  ])
  func `the command sends verbatim targets`(place: String) async throws {
    try await compare(request(.get, place))
  }

  @Test func `the command sends an empty query`() async throws {
    // Some versions of curl drop it (8.14.1).
    try await compare(request(.get, "inspect?"), withCurl: false)
  }

  @Test func `the command sends dot segments unchanged`() async throws {
    let request = try request(.get, "x/../inspect/./y")
    #expect(try await adapter.send(request).body.utf8Text() == "there is no /x/../inspect/./y\n")
    #expect(try await Shell.run(request.curlCommand).text == "there is no /x/../inspect/./y\n")
    if let curl = try await Shell.runCurl(request.curlCommand) { #expect(curl.text == "there is no /x/../inspect/./y\n") }
  }

  @Test func `the command sends binary bodies, and bodies longer than an argument can be`() async throws {
    let all = Data((0...255).map { UInt8($0) })
    let long = Data(String(repeating: "it's ", count: 200_000).utf8)
    for bytes in [all, all + all, Data([0]), Data([0xC3]), long] {
      let request = try request(.put, "upload?hash=1", body: .data(bytes))
      let expected = try await adapter.send(request).body.utf8Text()
      #expect(try await Shell.run(request.curlCommand).text == expected)
      if let curl = try await Shell.runCurl(request.curlCommand) { #expect(curl.text == expected) }
    }
  }

  @Test(arguments: ["inspect", "inspect/", "inspect/?a=1"], [HTTPRequest.Method.put, .post])
  func `the command sends a file`(place: String, method: HTTPRequest.Method) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/faraday-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/it's [1-3] {a,b}; $HOME"
    try Data("in the file\n".utf8).write(to: URL(fileURLWithPath: path))
    try await compare(request(method, place, body: .file(path)))
  }

  @Test func `the command sends HEAD, accepts compression and uses the requested version`() async throws {
    #expect(try await Shell.run(request(.head, "hello").curlCommand).text.hasPrefix("HTTP/1.1 200"))
    var compressed = try request(.get, "gzip/text")
    compressed.options.decompression = .standard
    compressed.options.httpVersion = .http1
    compressed.options.timeouts = Timeouts(connect: .seconds(5), total: .seconds(10))
    #expect(try await Shell.run(compressed.curlCommand).text.hasPrefix("Hello, gzip!"))
  }
}
