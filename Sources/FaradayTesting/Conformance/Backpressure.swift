internal import FaradayCore
private import Synchronization

extension ConformanceGroup {
  /// Backpressure: neither side gets further ahead than the buffers of kernel and adapter, however slow the other side is.
  static let backpressure: ConformanceGroup = .init(
    name: "backpressure", needs: .backpressure,
    cases: [
      .init("a paused reader stops the server (backpressure)", needs: .streamedDownload) { subject in
        try await staysClose(to: subject, head: "HTTP/1.1 200 OK\r\n\r\n", pieces: 1024) { iterator, written in
          try expect(try await iterator.next() != nil)
          try await giveChances(to: subject)
          try expect(written() < allowance, "the server could write \(written()) bytes")
        }
      },
      .init("a slow reader slows down the server", needs: .streamedDownload) { subject in
        try await staysClose(to: subject, head: "HTTP/1.1 200 OK\r\n\r\n", pieces: 1024) { iterator, written in
          var read = 0
          while read < 4 << 20, let piece = try await iterator.next() {
            read += piece.count
            try expect(written() - read < allowance, "the server could write \(written()) bytes when \(read) were read")
          }
          while let piece = try await iterator.next() { read += piece.count }
          try expectEqual(read, 64 << 20)
        }
      },
      .init("a server that does not read stops the source", needs: .streamedUpload) { subject in
        let hasHead = Gate()
        let mayRead = Gate()
        let server = try RawServer { connection in
          connection.setReceiveBuffer(64 << 10)
          _ = try connection.readHead()
          hasHead.open()
          guard mayRead.wait() else { return }
          let count = 48 << 20
          var read = 0
          while read < count { read += try connection.readSome(upTo: 1 << 20).count }
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        let given = Total()
        let source = Measured(pieces: 768, given: given)
        async let response = connection.post(body: .stream(source, length: 48 << 20))
        try expect(await hasHead.opened())
        try await giveChances(to: subject)
        try expect(given.value < allowance, "the source has given \(given.value) bytes")
        mayRead.open()
        try expectEqual(try await response.status, .ok)
        try expectEqual(given.value, 48 << 20)
      },
    ])

  private static let allowance = 32 << 20

  /// Other exchanges, during which the engine has time to wrongly resume the paused one.
  private static func giveChances(to subject: AdapterConformance.Subject) async throws {
    for _ in 0..<50 { _ = try await subject.connection.get("bytes/100000") }
  }

  private static func staysClose(
    to subject: AdapterConformance.Subject, head: String, pieces: Int,
    _ read: (inout Body.AsyncIterator, _ written: () -> Int) async throws -> Void
  ) async throws {
    let written = Total()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(head)
      let piece = [UInt8](repeating: 0x61, count: 64 << 10)
      for _ in 0..<pieces {
        try connection.send(piece)
        written.add(piece.count)
      }
    }
    defer { server.stop() }
    let response = try await subject.connection(to: server).get { $0.options.delivery = .streamed }
    var iterator = response.body.makeAsyncIterator()
    try await read(&iterator) { written.value }
  }

  private final class Total: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add(_ more: Int) { count.add(more, ordering: .relaxed) }
  }

  /// An async sequence of pieces of 64 KiB that counts the yielded pieces.
  private struct Measured: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Data
    var pieces: Int
    let given: Total

    mutating func next() async -> Data? {
      guard pieces > 0 else { return nil }
      pieces -= 1
      given.add(64 << 10)
      return Data(count: 64 << 10)
    }
    func makeAsyncIterator() -> Measured { self }
  }
}
