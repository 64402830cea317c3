@testable import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// How a body's reader ends it, and what it is told then.
@Suite struct ResponseReadingTests {
  private func response(_ body: Body, _ stream: ResponseStream? = nil) throws -> Response {
    Response(status: .ok, body: body, url: try #require(URL(string: "http://h/")), stream: stream)
  }

  private func ended() -> Body {
    let stream = ResponseStream(gathers: false)
    let body = stream.body(length: nil) {
    } onUnwanted: {
    }
    for text in ["a", "b"] { _ = stream.write(Data(text.utf8)) }
    stream.finish()
    return body
  }

  @Test func `a closure that comes as the body ends is its reader's to call, and no flush behind the end calls it`() {
    let stream = ResponseStream(gathers: false)
    _ = stream.write(Data("a".utf8))
    stream.finish()
    // As a reader leaves it that came between the engine's last flush and the end.
    stream.state.withLock { state in
      state.sink = { _ in
        Issue.record("it was called")
        return .continue
      }
    }
    _ = stream.flush()
    #expect(stream.state.withLock { $0.pieces } == [Data("a".utf8)])
  }

  @Test func `a closure that has had enough is called no more, also of what is there already`() async {
    for body in [ended(), .stream(Pieces([Data("a".utf8), Data("b".utf8)]))] {
      let seen = Log<Int>()
      await #expect(throws: CancellationError.self) {
        try await body.drain { bytes in
          seen.append(bytes.byteCount)
          return .cancel
        }
      }
      #expect(seen.elements == [1])
    }
  }

  @Test func `a task that was cancelled gives nothing to a closure, also of what is there already`() async {
    for body in [ended(), .stream(Pieces([Data("a".utf8)]))] {
      let isCancelled = Gate()
      let task = Task {
        await isCancelled.opened()
        try await body.drain { _ in
          Issue.record("it was called")
          return .continue
        }
      }
      task.cancel()
      isCancelled.open()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `the figures of a transfer are complete where its closure has had enough`() async throws {
    let stream = ResponseStream()
    let begun = Gate()
    let body = stream.body(length: nil) {
      begun.open()
    } onUnwanted: {
    }
    let response = try response(body, stream)
    let task = Task { try await body.drain { _ in .cancel } }
    #expect(await begun.opened())
    _ = stream.flush()
    #expect(stream.write(Data("a".utf8)) == .stop)
    stream.fail(CancellationError(), metrics: TransferMetrics(bytesReceived: 5))
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(response.metrics.bytesReceived == 5)
  }

  @Test func `a body that nobody wants and that stalls is given up`() async {
    let stream = ResponseStream()
    let unwanted = Log<Void>()
    let body = stream.body(length: nil) {
    } onUnwanted: {
      unwanted.append(())
      stream.fail(CancellationError())
    }
    _ = stream.write(Data("a".utf8))
    _ = stream.flush()
    await body.discard()
    #expect(!unwanted.elements.isEmpty)
  }

  @Test func `a streamed response is read once, whatever the adapter had`() async throws {
    var request = Request(.get, url: try #require(URL(string: "http://h/")))
    request.options.delivery = .streamed
    let cases: [(body: Body, onProgress: ProgressHandler?)] = [
      (.text("ab"), nil), (.text("ab"), { _ in }), (ended(), nil), (ended(), { _ in }),
      (.stream(Pieces([Data("ab".utf8)])), { _ in }),
    ]
    for (body, onProgress) in cases {
      request.options.onDownloadProgress = onProgress
      let delivered = try await response(body).delivered(to: request)
      #expect(try await delivered.body.collect() == Data("ab".utf8))
      await #expect(throws: BodyAlreadyRead.self) { try await delivered.body.collect() }
    }
  }

  @Test func `a response in memory that is over the limit is an error of the connection's verbs too`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", body: "abc")
    let connection = try Connection("http://h/", adapter: mock)
    #expect(try await connection.get { $0.options.maximumBodySize = 3 }.body.collect().count == 3)
    let error = await #expect(throws: TransportError.self) { try await connection.get { $0.options.maximumBodySize = 2 } }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test func `a piece that its closure cancels is not reported as progress`() async throws {
    var request = Request(.get, url: try #require(URL(string: "http://h/")))
    let reported = Log<Int64>()
    request.options.onDownloadProgress = { reported.append($0.bytes) }
    request.options.onChunk = { piece in piece.byteCount == 1 ? .continue : .cancel }
    let body = Body.stream(Pieces([Data("a".utf8), Data("bc".utf8)]))
    await #expect(throws: CancellationError.self) { try await response(body).delivered(to: request) }
    #expect(reported.elements == [1])
  }

  @Test func `what is over the limit is an error with no more than that, in memory and streamed`() async throws {
    var request = Request(.get, url: try #require(URL(string: "http://h/")))
    request.options.maximumBodySize = 2
    for onProgress in [nil, { _ in }] as [ProgressHandler?] {
      request.options.onDownloadProgress = onProgress
      for body in [Body.text("abc"), .stream(Pieces([Data("abc".utf8)])), .stream(Pieces([Data("abc".utf8)]), length: 3)] {
        let error = await #expect(throws: TransportError.self) { try await response(body).delivered(to: request) }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.partialResponse?.body.length ?? 3 <= 2)
      }
    }
  }
}
