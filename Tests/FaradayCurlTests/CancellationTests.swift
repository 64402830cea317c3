import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct CancellationTests {
  /// A server that tells when a request has come and when the client has closed the connection, and never answers whole.
  private struct Stalling {
    let hasRequest = Gate()
    let hasClosed = Gate()
    let server: RawServer

    init(answering text: String = "") throws {
      server = try RawServer { [hasRequest, hasClosed] connection in
        _ = try connection.readHead()
        try connection.send(text)
        hasRequest.open()
        connection.waitForClose()
        hasClosed.open()
      }
    }
  }

  @Test func `a task that is cancelled before it sends sends nothing`() async throws {
    let server = try LocalServer()
    let connection = try server.connection()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await connection.get("hello")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requestCount == 0)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"])
  func `cancelling a task ends its exchange and closes its connection`(answer: String) async throws {
    let stalling = try Stalling(answering: answer)
    let connection = try stalling.server.connection()
    let task = Task { try await connection.get() }
    #expect(await stalling.hasRequest.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await stalling.hasClosed.opened())
  }

  @Test func `a request that waits for a slot can be cancelled, and the others go on`() async throws {
    let stalling = try Stalling()
    var configuration = CurlAdapter.Configuration()
    configuration.connectionsPerOrigin = 1
    let connection = try stalling.server.connection(configuration)
    let first = Task { try await connection.get("first") }
    #expect(await stalling.hasRequest.opened())
    let waiting = Task { try await connection.get("waiting") }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(stalling.server.connectionCount == 1)
  }

  @Test func `cancel from the chunk callback ends the exchange`() async throws {
    let stalling = try Stalling(answering: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
    let connection = try stalling.server.connection()
    await #expect(throws: CancellationError.self) { try await connection.get { $0.options.onChunk = { _ in .cancel } } }
    #expect(await stalling.hasClosed.opened())
  }

  @Test func `dropping a streamed body that nobody read closes its connection`() async throws {
    let stalling = try Stalling(answering: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
    let connection = try stalling.server.connection()
    var response: Response? = try await connection.get { $0.options.delivery = .streamed }
    #expect(response?.status == .ok)
    response = nil
    #expect(await stalling.hasClosed.opened())
  }

  @Test func `leaving the loop over a streamed body closes its connection, though the response is still held`() async throws {
    let stalling = try Stalling(answering: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
    let response = try await stalling.server.connection().get { $0.options.delivery = .streamed }
    for try await _ in response.body { break }
    #expect(await stalling.hasClosed.opened())
    #expect(response.status == .ok)
  }

  @Test func `dropping a body that is paused frees what libcurl kept, and the next request works`() async throws {
    let server = try LocalServer()
    let connection = try server.connection()
    for _ in 0..<20 {
      let response = try await connection.get("bytes/50000000") { $0.options.delivery = .streamed }
      var iterator = response.body.makeAsyncIterator()
      _ = try await iterator.next()
    }
    #expect(try await connection.get("hello").body.text() == "Hello, world!")
  }

  @Test func `a task that is cancelled while it reads a body is told so`() async throws {
    let stalling = try Stalling(answering: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
    let connection = try stalling.server.connection()
    let hasRead = Gate()
    let task = Task {
      let response = try await connection.get { $0.options.delivery = .streamed }
      for try await _ in response.body { hasRead.open() }
    }
    #expect(await hasRead.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await stalling.hasClosed.opened())
  }

  @Test func `cancelling an upload stops its source`() async throws {
    let stalling = try Stalling()
    let dry = DrySource()
    let connection = try stalling.server.connection()
    let task = Task { try await connection.post(body: .stream(dry)) }
    #expect(await stalling.hasRequest.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await dry.hasGone.opened())
    #expect(await stalling.hasClosed.opened())
  }

  @Test func `a connection is kept when its response has ended, whoever cancels then`() async throws {
    let server = try LocalServer()
    let connection = try server.connection()
    for _ in 0..<10 {
      let response = try await connection.get("bytes/10") { $0.options.delivery = .streamed }
      _ = try await response.body.collect()
    }
    #expect(server.connectionCount == 1)
  }
}
