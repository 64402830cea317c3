import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// Tests of the echo adapter that the rules cannot make, because it has no server.
@Suite struct EchoAdapterTests {
  struct Broken: Error {}

  let connection: Connection

  init() throws { connection = try Connection("http://echo.test/", adapter: EchoAdapter()) }

  private func pieces(failing: Bool = false) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream {
      $0.yield(Data("one ".utf8))
      $0.yield(Data("two".utf8))
      $0.finish(throwing: failing ? Broken() : nil)
    }
  }

  @Test func `a failing body is a transport error with its cause in every delivery`() async throws {
    for delivery in [Delivery.buffered, .streamed] {
      let error = await #expect(throws: TransportError.self) {
        let response = try await connection.post("", body: .stream(pieces(failing: true))) { $0.options.delivery = delivery }
        _ = try await response.body.collect()
      }
      #expect(error?.code == .bodyUnreadable)
      #expect(error?.underlying is Broken)
    }
  }

  @Test func `a body over the limit is refused`() async throws {
    let error = await #expect(throws: TransportError.self) {
      try await connection.post("", body: .stream(pieces())) { $0.options.maximumBodySize = 4 }
    }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test func `a callback or the task can cancel the exchange`() async throws {
    await #expect(throws: CancellationError.self) {
      try await connection.post("", body: "x") { $0.options.onChunk = { _ in .cancel } }
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await connection.post("", body: "x")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a value that is not encoded is refused`() async throws {
    let error = await #expect(throws: TransportError.self) { try await connection.post("", body: .encodable("x")) }
    #expect(error?.code == .invalidBody)
  }

  @Test func `the body is returned buffered, streamed and in chunks`() async throws {
    #expect(try await connection.post("", body: .stream(pieces())).body.utf8Text() == "one two")
    let streamed = try await connection.post("", body: .stream(pieces())) { $0.options.delivery = .streamed }
    #expect(try await streamed.body.utf8Text() == "one two")
    let seen = Mutex<[Int]>([])
    let chunked = try await connection.post("", body: .stream(pieces())) {
      $0.options.onChunk = { bytes in
        seen.withLock { $0.append(bytes.byteCount) }
        return .continue
      }
    }
    #expect(chunked.body.isEmpty)
    #expect(seen.withLock { $0 } == [4, 3])
  }

  @Test func `the head is delivered first`() async throws {
    let seen = Mutex<HTTPResponse?>(nil)
    _ = try await connection.post("", body: "x") {
      $0.headers[.contentType] = "text/plain"
      $0.options.onHead = { head in seen.withLock { $0 = head } }
    }
    #expect(seen.withLock { $0?.headerFields[.contentType] } == "text/plain")
  }
}
