import FaradayCore
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

  @Test func `a body in memory has ended already`() {
    for body: Body in [.empty, "text"] { _ = watched(body) }
    #expect(ends.elements == ["complete", "complete"])
  }

  @Test func `a sequence's end is told once: its error, its last piece, or that it was dropped`() async throws {
    await #expect(throws: Broken.self) { try await watched(stream(["a"], failing: true)).collect() }
    let body = watched(stream(["a", "b"]))
    #expect(try await body.text() == "ab")
    _ = try? await body.text()
    for try await _ in watched(stream(["a", "b"])) { break }
    _ = watched(stream(["a"]))
    #expect(ends.elements == ["Broken", "complete", "dropped", "dropped"])
  }

  @Test func `a received body's end is told when its reader knows it, however it is read`() async throws {
    let complete = received { $0.finish() }
    let read = watched(complete)
    #expect(ends.elements.isEmpty)
    #expect(try await read.text() == "piece" && ends.elements == ["complete"])
    var iterator = watched(received { $0.finish() }).makeAsyncIterator()
    #expect(try await iterator.next() == Data("piece".utf8) && ends.elements.count == 1)
    // Though the iterator is still there.
    #expect(try await iterator.next() == nil && ends.elements.count == 2)
    #expect(try await iterator.next() == nil)
    try await watched(received { $0.finish() }).drain { _ in .continue }
    await #expect(throws: Broken.self) { try await watched(received { $0.fail(Broken()) }).collect() }
    for try await _ in watched(received { _ in }) { break }
    await watched(received { _ in }).discard(upTo: 0)
    _ = watched(received { _ in })
    #expect(ends.elements == ["complete", "complete", "complete", "Broken", "dropped", "dropped", "dropped"])
  }

  @Test func `several observers are told, and one that comes after the reading is told at once`() async throws {
    let body = watched(watched(received { $0.finish() }))
    _ = try await body.text()
    #expect(ends.elements == ["complete", "complete"])
    _ = watched(body)
    #expect(ends.elements.count == 3)
  }
}
