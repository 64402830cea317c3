import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// Requests that cannot be sent: each fails before a byte has left, or before the body has been sent whole.
@Suite struct InvalidRequestTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test(arguments: [
    ("nonsense", TransportError.Code.invalidURL), ("/path", .invalidURL), ("http://", .invalidURL), ("http:///path", .invalidURL),
    ("http://:80/", .invalidURL), ("http:host", .invalidURL), ("http://h:99999/", .invalidURL), ("http://user@/x", .invalidURL),
    ("ftp://h/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme), ("gopher://h/", .unsupportedScheme),
    ("httpx://h/", .unsupportedScheme),
  ])
  func `a URL that is not http, or has no host`(url: String, code: TransportError.Code) async throws {
    let adapter = connection
    let error = try await transportError { try await adapter.run(try Request(.get, url)) }
    #expect(error.code == code, "\(error)")
  }

  @Test func `a body that nobody has encoded`() async throws {
    let error = try await transportError { try await connection.post("echo", body: .value(["a": 1])) }
    #expect(error.code == .invalidBody)
    #expect(error.message.contains("Dictionary<String, Int>"))
    #expect(server.requestCount == 0)
  }

  @Test func `a file that goes before it is sent`() async throws {
    let file = try TemporaryFile(pattern(100_000))
    let body = try Body.file(file.path)
    try FileManager.default.removeItem(atPath: file.path)
    let error = try await transportError { try await connection.put("upload", body: body) }
    #expect(error.code == .bodyUnreadable)
    #expect(error.message == "cannot read \(file.path): No such file or directory")
    #expect(error.underlying is BodyFile.Unreadable)
  }

  @Test func `a file that shrinks while it is sent`() async throws {
    let file = try TemporaryFile(pattern(1_000_000))
    let body = try Body.file(file.path)
    try pattern(500_000).write(to: URL(filePath: file.path))
    let error = try await transportError { try await connection.put("upload", body: body) }
    #expect(error.code == .bodyLengthMismatch)
    #expect(error.message == "the body was to have 1000000 bytes and ended after 500000")
  }

  @Test func `a file that grows is sent as long as it was`() async throws {
    let file = try TemporaryFile(pattern(100_000))
    let body = try Body.file(file.path)
    try pattern(200_000).write(to: URL(filePath: file.path))
    #expect(try await connection.put("echo", body: body).body.data == pattern(100_000))
  }

  @Test(arguments: [3, 5, 100_000])
  func `a stream shorter than its stated length`(length: Int64) async throws {
    let body = Body.stream(Pieces("ab"), length: length)
    let error = try await transportError { try await connection.post("upload", body: body) }
    #expect(error.code == .bodyLengthMismatch)
    #expect(error.message == "the body was to have \(length) bytes and ended after 2")
  }

  @Test(arguments: [0, 1, 3, 65_536])
  func `a stream longer than its stated length is not sent whole`(length: Int) async throws {
    let count = Log<Int>()
    let hasCounted = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      count.append(try connection.readToEnd())
      hasCounted.open()
    }
    let body = Body.stream(Pieces([pattern(length), Data("more".utf8)]), length: Int64(length))
    let error = try await transportError { try await server.connection().post(body: body) }
    #expect(error.code == .bodyLengthMismatch)
    #expect(error.message == "the body was to have \(length) bytes and has more")
    guard server.connectionCount > 0 else { return }
    #expect(await hasCounted.opened())
    #expect(count.elements.allSatisfy { $0 < length })
  }

  @Test func `a stream that throws gives its own error along`() async throws {
    struct Mine: Error {}
    struct Failing: AsyncSequence, AsyncIteratorProtocol, Sendable {
      typealias Element = Data
      var count = 0
      mutating func next() async throws -> Data? {
        count += 1
        if count > 3 { throw Mine() }
        return Data("piece".utf8)
      }
      func makeAsyncIterator() -> Failing { self }
    }
    let error = try await transportError { try await connection.post("upload", body: .stream(Failing())) }
    #expect(error.code == .bodyUnreadable)
    #expect(error.underlying is Mine)
    let empty = try await transportError {
      try await connection.post("upload", body: .stream(Failing(count: 3), length: 0))
    }
    #expect(empty.code == .bodyUnreadable && empty.underlying is Mine)
    #expect(try await connection.get("hello").status == .ok)
  }

  @Test func `a connection that is refused, and a name that is not found`() async throws {
    let refusing = try RefusedPort()
    let refused = try await transportError { try await connection.run(try Request(.get, "http://127.0.0.1:\(refusing.port)/")) }
    #expect(refused.code == .connectionFailed && refused.phase == .connecting)
    #expect(refused.engineCode == 7)
    let unknown = try await transportError { try await connection.run(try Request(.get, "http://nothing.invalid/")) }
    #expect(unknown.code == .nameNotFound && unknown.phase == .resolving)
  }

  @Test func `an international name is converted, not refused`() async throws {
    let error = try await transportError { try await connection.run(try Request(.get, "http://bücher.invalid/")) }
    #expect(error.code == .nameNotFound)
    #expect(error.message.contains("xn--bcher-kva.invalid"))
  }
}
