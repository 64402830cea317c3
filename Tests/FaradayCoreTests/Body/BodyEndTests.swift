@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct BodyEndTests {
  private let ends = Log<String>()

  private func watched(_ body: Body) -> Body {
    body.onEnd { [ends] end in
      switch end {
      case .complete: ends.append("complete")
      case .failed(let error): ends.append("\(type(of: error))")
      case .dropped: ends.append("dropped")
      }
    }
  }

  private struct Broken: Error {}

  private func stream(_ pieces: [String], failing: Bool = false) -> Body {
    .stream(
      AsyncThrowingStream<Data, any Error> { continuation in
        for piece in pieces { continuation.yield(Data(piece.utf8)) }
        continuation.finish(throwing: failing ? Broken() : nil)
      })
  }

  private func received(_ finish: (ResponseStream) -> Void) -> Body {
    let stream = ResponseStream()
    let body = stream.body(length: nil) {
    } onUnwanted: { [weak stream] in
      stream?.fail(CancellationError())
    }
    _ = stream.write(Data("piece".utf8))
    _ = stream.flush()
    finish(stream)
    return body
  }

  @Test func `a body in memory has already ended`() {
    for body: Body in [.empty, "text"] { _ = watched(body) }
    #expect(ends.elements == ["complete", "complete"])
  }

  @Test func `the end of a sequence is reported once: its error, its last piece or its release`() async throws {
    await #expect(throws: Broken.self) { try await watched(stream(["a"], failing: true)).collect() }
    let body = watched(stream(["a", "b"]))
    #expect(try await body.utf8Text() == "ab")
    _ = try? await body.utf8Text()
    for try await _ in watched(stream(["a", "b"])) { break }
    _ = watched(stream(["a"]))
    #expect(ends.elements == ["Broken", "complete", "dropped", "dropped"])
  }

  @Test func `the end of a received body is reported to its reader in every delivery`() async throws {
    let complete = received { $0.finish() }
    let read = watched(complete)
    #expect(ends.elements.isEmpty)
    #expect(try await read.utf8Text() == "piece" && ends.elements == ["complete"])
    var iterator = watched(received { $0.finish() }).makeAsyncIterator()
    #expect(try await iterator.next() == Data("piece".utf8) && ends.elements.count == 1)
    // Though the iterator is still there.
    #expect(try await iterator.next() == nil && ends.elements.count == 2)
    #expect(try await iterator.next() == nil)
    try await watched(received { $0.finish() }).forEachChunk { _ in .continue }
    await #expect(throws: Broken.self) { try await watched(received { $0.fail(Broken()) }).collect() }
    for try await _ in watched(received { _ in }) { break }
    await watched(received { _ in }).discard(upTo: 0)
    _ = watched(received { _ in })
    #expect(ends.elements == ["complete", "complete", "complete", "Broken", "dropped", "dropped", "dropped"])
  }

  @Test func `all observers are notified, and a late one is notified at once`() async throws {
    let body = watched(watched(received { $0.finish() }))
    _ = try await body.utf8Text()
    #expect(ends.elements == ["complete", "complete"])
    _ = watched(body)
    #expect(ends.elements.count == 3)
  }

  /// Responds with a body that breaks off. The error does not know the secrets of the connection.
  private struct BreakingAdapter: Adapter {
    let capabilities: Capabilities = .all

    func send(_ request: Request) async throws -> Response {
      let stream = ResponseStream()
      let body = stream.body(length: nil) {
      } onUnwanted: {
      }
      stream.fail(
        TransportError(.connectionClosed, phase: .receiving, method: request.method, url: request.url, message: "broken"))
      return Response(status: .ok, body: body, url: request.url, stream: stream)
    }
  }

  @Test func `the error at the end of a body is redacted by the connection's secrets`() async throws {
    var secrets = Secrets()
    secrets.insert(path: "/reset/{token}")
    let urls = Log<String>()
    let connection = Connection(secrets: secrets, adapter: BreakingAdapter())
    let response = try await connection.get("https://host/reset/hunter2") { $0.options.delivery = .streamed }
    let body = response.body.onEnd { if case .failed(let error as TransportError) = $0 { urls.append(error.url) } }
    await #expect(throws: TransportError.self) { try await body.collect() }
    #expect(urls.elements == ["https://host/reset/\(Secrets.mark)"])
  }
}
