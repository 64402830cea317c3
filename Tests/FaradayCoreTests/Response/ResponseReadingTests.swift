@_spi(Adapters) @testable import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// The reader's ways to end a body, and their outcomes.
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

  @Test func `a closure set at the end of the body is called by the reader, not by a later flush`() {
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

  @Test func `a closure that cancelled is not called again, even for buffered bytes`() async {
    for body in [ended(), .stream(Pieces([Data("a".utf8), Data("b".utf8)]))] {
      let seen = Log<Int>()
      await #expect(throws: CancellationError.self) {
        try await body.forEachChunk { bytes in
          seen.append(bytes.byteCount)
          return .cancel
        }
      }
      #expect(seen.elements == [1])
    }
  }

  @Test func `a cancelled task passes nothing to its closure, even buffered bytes`() async {
    for body in [ended(), .stream(Pieces([Data("a".utf8)]))] {
      let isCancelled = Gate()
      let task = Task {
        await isCancelled.opened()
        try await body.forEachChunk { _ in
          Issue.record("it was called")
          return .continue
        }
      }
      task.cancel()
      isCancelled.open()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `metrics are printed with their values, and a changed copy leaves the original`() {
    let metrics = TransferMetrics(bytesReceived: 5, remoteAddress: "[::1]:80")
    var copy = metrics
    copy.bytesReceived = 6
    #expect("\(metrics)".hasPrefix("TransferMetrics(") && "\(metrics)".contains("bytesReceived: 5"))
    #expect("\(copy)".contains("bytesReceived: 6") && "\(copy)".contains("[::1]:80"))
    #expect(copy != metrics)
  }

  @Test func `metrics are complete when a closure cancels`() async throws {
    let stream = ResponseStream()
    let begun = Gate()
    let body = stream.body(length: nil) {
      begun.open()
    } onUnwanted: {
    }
    let response = try response(body, stream)
    let task = Task { try await body.forEachChunk { _ in .cancel } }
    #expect(await begun.opened())
    _ = stream.flush()
    #expect(stream.write(Data("a".utf8)) == .stop)
    stream.fail(CancellationError(), metrics: TransferMetrics(bytesReceived: 5))
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(response.metrics.bytesReceived == 5)
  }

  @Test func `a discarded body that stalls is abandoned`() async {
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

  @Test func `a streamed response can be read once over any adapter`() async throws {
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

  @Test func `a response in memory above the limit is also an error of the verbs`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", body: "abc")
    let connection = try Connection("http://h/", adapter: mock)
    #expect(try await connection.get { $0.options.maximumBodySize = 3 }.body.collect().count == 3)
    let error = await #expect(throws: TransportError.self) { try await connection.get { $0.options.maximumBodySize = 2 } }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test func `a chunk that its closure cancels is not reported as progress`() async throws {
    var request = Request(.get, url: try #require(URL(string: "http://h/")))
    let reported = Log<Int64>()
    request.options.onDownloadProgress = { reported.append($0.bytes) }
    request.options.onChunk = { piece in piece.byteCount == 1 ? .continue : .cancel }
    let body = Body.stream(Pieces([Data("a".utf8), Data("bc".utf8)]))
    await #expect(throws: CancellationError.self) { try await response(body).delivered(to: request) }
    #expect(reported.elements == [1])
  }

  @Test func `a body above the limit is an error with the bytes up to it, in memory and streamed`() async throws {
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
