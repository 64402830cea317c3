@_spi(Adapters) @testable import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct ResponseStreamTests {
  private struct First: Error {}
  private struct Second: Error {}

  private func write(_ count: Int, to stream: ResponseStream) -> ResponseStream.Answer {
    [UInt8](repeating: 7, count: count).withUnsafeBytes { stream.write($0) }
  }

  private func write(_ text: String, to stream: ResponseStream) -> ResponseStream.Answer {
    Array(text.utf8).withUnsafeBytes { stream.write($0) }
  }

  // MARK: pausing

  @Test func `a full stream pauses its engine, and requests more once, at less than half`() async throws {
    let stream = ResponseStream(capacity: 100, gathers: false)
    let (asked, unwanted) = (Log<Void>(), Log<Void>())
    let body = stream.body(length: nil) {
      asked.append(())
    } onUnwanted: {
      unwanted.append(())
    }
    #expect(write(50, to: stream) == .more)
    #expect(write(10, to: stream) == .more)
    #expect(write(40, to: stream) == .pause)
    var pieces = body.makeAsyncIterator()
    #expect(try await pieces.next()?.count == 50)
    #expect(asked.elements.isEmpty)
    #expect(try await pieces.next()?.count == 10)
    #expect(asked.elements.count == 1)
    #expect(try await pieces.next()?.count == 40)
    #expect(asked.elements.count == 1)
    stream.finish()
    #expect(try await pieces.next() == nil)
    #expect(unwanted.elements.isEmpty)
  }

  @Test func `an engine that is not paused gets no request for more`() async throws {
    let stream = ResponseStream(capacity: 100)
    let asked = Log<Void>()
    let body = stream.body(length: nil) {
      asked.append(())
    } onUnwanted: {
    }
    #expect(write(99, to: stream) == .more)
    stream.finish()
    #expect(try await body.collect().count == 99)
    #expect(asked.elements.isEmpty)
  }

  @Test func `buffered bytes that were not delivered count in the limit`() {
    let stream = ResponseStream(capacity: 1000, batch: .max)
    #expect(write(600, to: stream) == .more)
    #expect((stream.gathered, stream.unread) == (600, 600))
    #expect(stream.flush() == .pause)
    #expect((stream.gathered, stream.unread) == (0, 600))
    #expect(write(399, to: stream) == .more)
    #expect(stream.unread == 999)
    #expect(write(1, to: stream) == .pause)
  }

  @Test func `an engine continues if the reader was faster than its pause`() async throws {
    let stream = ResponseStream(capacity: 100, gathers: false)
    let body = stream.body(length: nil) {
    } onUnwanted: {
    }
    var pieces = body.makeAsyncIterator()
    #expect(write(100, to: stream) == .pause)
    #expect(stream.flush() == .pause)
    #expect(write(1, to: stream) == .pause)
    #expect(try await pieces.next()?.count == 100)
    // The reader has already requested more. A later flush does not request again.
    #expect(stream.flush() == .pause)
    #expect(write(1, to: stream) == .more)
  }

  @Test func `a capacity of zero still lets bytes through`() async throws {
    let stream = ResponseStream(capacity: 0)
    let asked = Log<Void>()
    let body = stream.body(length: nil) {
      asked.append(())
    } onUnwanted: {
    }
    #expect(write(10, to: stream) == .pause)
    stream.finish()
    #expect(try await body.collect().count == 10)
  }

  // MARK: pieces

  @Test func `chunks are merged or stay separate`() async throws {
    for gathers in [true, false] {
      let stream = ResponseStream(gathers: gathers)
      let body = stream.body(length: nil) {
      } onUnwanted: {
      }
      for text in ["a", "bc", "", "def"] { #expect(write(text, to: stream) == .more) }
      stream.finish()
      var pieces: [String] = []
      for try await piece in body { pieces.append(String(decoding: piece, as: UTF8.self)) }
      #expect(pieces == (gathers ? ["abcdef"] : ["a", "bc", "def"]))
    }
  }

  @Test func `copied bytes and shared data are delivered in the order of writing`() async throws {
    let stream = ResponseStream()
    let body = stream.body(length: nil) {
    } onUnwanted: {
    }
    var expected = Data()
    for round in 0..<50 {
      let size = round * 7919 % 400_000
      let piece = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ round) })
      expected += piece
      _ = round % 3 == 0 ? stream.write(piece) : piece.withUnsafeBytes { stream.write($0) }
      if round % 5 == 0 { _ = stream.flush() }
    }
    stream.finish()
    #expect(try await body.collect(upTo: .max) == expected)
  }

  // MARK: the end

  @Test func `the first end counts and follows the buffered bytes`() async throws {
    let stream = ResponseStream()
    let body = stream.body(length: nil) {
    } onUnwanted: {
    }
    _ = write("piece", to: stream)
    stream.fail(First())
    stream.fail(Second())
    stream.finish()
    var pieces = body.makeAsyncIterator()
    #expect(try await pieces.next() == Data("piece".utf8))
    await #expect(throws: First.self) { try await pieces.next() }
    #expect(try await pieces.next() == nil)
  }

  @Test func `trailers and metrics are available at the end and not before`() throws {
    let stream = ResponseStream()
    let response = Response(
      status: .ok, url: try #require(URL(string: "http://localhost/")), metrics: TransferMetrics(bytesReceived: 1), stream: stream
    )
    #expect(response.trailers.isEmpty)
    #expect(response.metrics.bytesReceived == 1)
    stream.finish(trailers: [.eTag: "x"], metrics: TransferMetrics(bytesReceived: 2))
    #expect(response.trailers[.eTag] == "x")
    #expect(response.metrics.bytesReceived == 2)
  }

  @Test func `a response keeps its metrics if its stream ends without any`() throws {
    let stream = ResponseStream()
    let response = Response(
      status: .ok, url: try #require(URL(string: "http://localhost/")), metrics: TransferMetrics(bytesReceived: 1), stream: stream
    )
    stream.finish()
    #expect(response.metrics.bytesReceived == 1)
  }

  @Test func `a body can be read once in any way`() async throws {
    let stream = ResponseStream()
    let body = stream.body(length: nil) {
    } onUnwanted: {
    }
    stream.finish()
    #expect(try await body.collect().isEmpty)
    await #expect(throws: BodyAlreadyRead.self) { try await body.collect() }
    await #expect(throws: BodyAlreadyRead.self) { try await body.forEachChunk { _ in .continue } }
  }

  // MARK: a reader that goes

  @Test func `an unread body is abandoned, and a complete one is not`() {
    for hasEnded in [false, true] {
      let stream = ResponseStream()
      let unwanted = Log<Void>()
      var body: Body? = stream.body(length: nil) {
      } onUnwanted: {
        unwanted.append(())
      }
      if hasEnded { stream.finish() }
      #expect(body != nil)
      body = nil
      #expect(unwanted.elements.count == (hasEnded ? 0 : 1))
    }
  }

  @Test func `a reader that stops half-way abandons the body`() async throws {
    let stream = ResponseStream()
    let unwanted = Log<Void>()
    let body = stream.body(length: nil) {
    } onUnwanted: {
      unwanted.append(())
    }
    _ = write("piece", to: stream)
    _ = stream.flush()
    for try await _ in body { break }
    #expect(unwanted.elements.count == 1)
  }

  @Test func `a cancelled waiting task tells the engine to end`() async throws {
    for drains in [false, true] {
      let stream = ResponseStream()
      let (waits, unwanted) = (Gate(), Gate())
      let body = stream.body(length: nil) {
        waits.open()
      } onUnwanted: {
        unwanted.open()
      }
      let task = Task {
        if drains { return try await body.forEachChunk { _ in .continue } }
        waits.open()
        for try await _ in body {}
      }
      #expect(await waits.opened())
      task.cancel()
      #expect(await unwanted.opened())
      stream.fail(CancellationError())
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  // MARK: draining

  @Test func `draining delivers earlier bytes, then each chunk on the engine's side`()
    async throws
  {
    let stream = ResponseStream(gathers: false)
    let (begun, seen) = (Gate(), Log<String>())
    let body = stream.body(length: nil) {
      begun.open()
    } onUnwanted: {
    }
    _ = write("before", to: stream)
    _ = stream.flush()
    _ = write("gathered", to: stream)
    let task = Task {
      try await body.forEachChunk { bytes in
        seen.append(bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        return .continue
      }
    }
    #expect(await begun.opened())
    #expect(!stream.isDrained)
    #expect(seen.elements.isEmpty)
    #expect(stream.flush() != .stop)
    #expect(stream.isDrained)
    #expect(seen.elements == ["before", "gathered"])
    #expect(write("now", to: stream) == .more)
    #expect(stream.write(Data("data".utf8)) == .more)
    #expect(seen.elements == ["before", "gathered", "now", "data"])
    #expect(stream.unread == 0)
    stream.finish()
    try await task.value
  }

  @Test func `a pause ends when draining starts`() async throws {
    let stream = ResponseStream(capacity: 10, gathers: false)
    let begun = Gate()
    let body = stream.body(length: nil) {
      begun.open()
    } onUnwanted: {
    }
    #expect(write("0123456789", to: stream) == .pause)
    let task = Task { try await body.forEachChunk { _ in .continue } }
    #expect(await begun.opened())
    #expect(stream.flush() == .more)
    #expect(write("0123456789", to: stream) == .more)
    stream.finish()
    try await task.value
  }

  @Test func `a complete body is drained by its reader`() async throws {
    let stream = ResponseStream(gathers: false)
    let body = stream.body(length: nil) {
    } onUnwanted: {
    }
    _ = write("a", to: stream)
    _ = write("b", to: stream)
    stream.fail(First())
    let seen = Log<Int>()
    await #expect(throws: First.self) {
      try await body.forEachChunk { bytes in
        seen.append(bytes.byteCount)
        return .continue
      }
    }
    #expect(seen.elements == [1, 1])
  }

  @Test(arguments: [false, true])
  func `a closure that cancels or throws stops the engine and is not called again`(throwing: Bool) async throws {
    let stream = ResponseStream(gathers: false)
    let (begun, seen) = (Gate(), Log<Void>())
    let body = stream.body(length: nil) {
      begun.open()
    } onUnwanted: {
    }
    let task = Task {
      try await body.forEachChunk { _ in
        seen.append(())
        if throwing { throw First() }
        return .cancel
      }
    }
    #expect(await begun.opened())
    _ = stream.flush()
    #expect(write("a", to: stream) == .stop)
    #expect(write("b", to: stream) == .stop)
    #expect(stream.flush() == .stop)
    stream.fail(Second(), metrics: TransferMetrics(bytesReceived: 5))
    let result = await task.result
    switch result {
    case .success: Issue.record("it has ended well")
    case .failure(let error): #expect(throwing ? error is First : error is CancellationError)
    }
    #expect(seen.elements.count == 1)
  }

  @Test func `a drained body that ends before the engine notices is complete`() async throws {
    let stream = ResponseStream(gathers: false)
    let (begun, seen) = (Gate(), Log<Int>())
    let body = stream.body(length: nil) {
      begun.open()
    } onUnwanted: {
    }
    let task = Task {
      try await body.forEachChunk { bytes in
        seen.append(bytes.byteCount)
        return .continue
      }
    }
    #expect(await begun.opened())
    _ = write("abc", to: stream)
    stream.finish()
    try await task.value
    #expect(seen.elements == [3])
  }

  // MARK: discarding

  @Test func `a short body is discarded to its end, and a long one is cancelled`() async throws {
    for (length, count) in [(nil, 100), (100, 100), (nil, 200), (200, 0)] as [(Int64?, Int)] {
      let stream = ResponseStream()
      let unwanted = Log<Void>()
      let body = stream.body(length: length) {
      } onUnwanted: {
        unwanted.append(())
      }
      _ = write(count, to: stream)
      if count == 100 { stream.finish() } else { _ = stream.flush() }
      await body.discard(upTo: 100)
      #expect(unwanted.elements.count == (count == 100 ? 0 : 1), "\(length ?? -1) \(count)")
    }
  }

  @Test func `the prefix of a body is its first bytes, and tells whether more follow`() async throws {
    for (count, limit) in [(0, 0), (1, 0), (99, 100), (100, 100), (101, 100)] {
      let stream = ResponseStream()
      let body = stream.body(length: nil) {
      } onUnwanted: {
      }
      _ = write(count, to: stream)
      stream.finish()
      let (bytes, isCut) = try await body.prefix(upTo: limit)
      #expect(bytes.count == min(count, limit))
      #expect(isCut == (count > limit))
      #expect(try await Body.data(Data(count: count)).prefix(upTo: limit).bytes.count == min(count, limit))
    }
  }
}
