@_spi(Adapters) import FaradayCore
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

  @Test func `a file that disappears before it is sent is an error`() async throws {
    let file = try TemporaryFile(pattern(100_000))
    let body = try Body.file(file.path)
    try FileManager.default.removeItem(atPath: file.path)
    let error = try await transportError { try await connection.put("upload", body: body) }
    #expect(error.code == .bodyUnreadable)
    #expect(error.message == "cannot read \(file.path): No such file or directory")
    #expect((error.underlying as? BodyError)?.isUnreadable == true)
  }

  @Test func `a file that shrinks while it is sent is an error`() async throws {
    let file = try TemporaryFile(pattern(1_000_000))
    let body = try Body.file(file.path)
    try pattern(500_000).write(to: URL(filePath: file.path))
    let error = try await transportError { try await connection.put("upload", body: body) }
    #expect(error.code == .bodyLengthMismatch)
    #expect(error.message == "the body's stated length is 1000000 bytes, but it ended after 500000")
  }

  @Test(arguments: [3, 5, 100_000])
  func `a stream shorter than its length is an error`(length: Int64) async throws {
    let body = Body.stream(Pieces("ab"), length: length)
    let error = try await transportError { try await connection.post("upload", body: body) }
    #expect(error.code == .bodyLengthMismatch)
    #expect(error.message == "the body's stated length is \(length) bytes, but it ended after 2")
  }

  @Test func `a failing body stream is an error with the stream's error`() async throws {
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

  @Test func `an international host name is converted and accepted`() async throws {
    let error = try await transportError { try await connection.send(try Request(.get, "http://bücher.invalid/")) }
    #expect(error.code == .nameNotFound)
    #expect(error.message.contains("xn--bcher-kva.invalid"))
  }

  @Test func `a refused connection has libcurl's error code`() async throws {
    let refusing = try RefusedPort()
    let refused = try await transportError { try await connection.send(try Request(.get, "http://127.0.0.1:\(refusing.port)/")) }
    #expect(refused.engineCode == 7)
    withExtendedLifetime(refusing) {}
  }
}
