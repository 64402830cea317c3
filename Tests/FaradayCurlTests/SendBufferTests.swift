@_spi(Adapters) @testable import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@testable import FaradayCurl

@Suite struct SendBufferTests {
  private func fill(_ buffer: SendBuffer, _ count: Int) -> (SendBuffer.Filled, [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled = bytes.withUnsafeMutableBytes { buffer.fill($0) }
    guard case .bytes(let count) = filled else { return (filled, []) }
    return (filled, Array(bytes.prefix(count)))
  }

  @Test func `a body longer than its length is refused before it is sent completely`() throws {
    let buffer = SendBuffer(length: 3)
    #expect(try buffer.push(Data([1, 2, 3])) == false)
    // The last bytes are held back until the source has ended.
    #expect(fill(buffer, 10).0 == .dry)
    #expect(throws: LengthMismatch.self) { try buffer.push(Data([4])) }
    #expect(buffer.fail(LengthMismatch(stated: 3, actual: nil)))
    #expect(fill(buffer, 10).0 == .failed)
  }

  @Test func `a body shorter than its length fails at its end`() throws {
    let buffer = SendBuffer(length: 3)
    _ = try buffer.push(Data([1, 2]))
    #expect(fill(buffer, 10).1 == [1, 2])
    _ = buffer.end()
    #expect(fill(buffer, 10).0 == .failed)
    #expect(buffer.failure is LengthMismatch)
  }

  @Test func `bytes are delivered in order in the requested sizes`() throws {
    let buffer = SendBuffer(length: nil)
    _ = try buffer.push(Data([1, 2, 3]))
    _ = try buffer.push(Data())
    _ = try buffer.push(Data([4, 5]))
    #expect(fill(buffer, 2).1 == [1, 2])
    #expect(fill(buffer, 2).1 == [3, 4])
    #expect(fill(buffer, 2).1 == [5])
    #expect(fill(buffer, 2).0 == .dry)
    #expect(buffer.end())
    #expect(fill(buffer, 2).0 == .end)
  }

  @Test func `the engine is notified once, and only if it waits`() throws {
    let buffer = SendBuffer(length: nil)
    #expect(try buffer.push(Data([1])) == false)
    _ = fill(buffer, 10)
    _ = fill(buffer, 10)
    #expect(try buffer.push(Data([2])) == true)
    #expect(try buffer.push(Data([3])) == false)
  }

  @Test func `a source continues while there is room, independent of the engine`() async throws {
    let buffer = SendBuffer(length: nil)
    buffer.open()
    _ = try buffer.push(Data([1]))
    #expect(await buffer.waitForRoom())
  }

  @Test func `a full buffer lets its source report the end`() async throws {
    let buffer = SendBuffer(length: Int64(SendBuffer.firstWatermark))
    buffer.open()
    _ = try buffer.push(Data(count: SendBuffer.firstWatermark))
    let source = Task { await buffer.waitForRoom() }
    #expect(fill(buffer, SendBuffer.firstWatermark).0 == .dry)
    #expect(await source.value)
    #expect(buffer.end())
    #expect(fill(buffer, SendBuffer.firstWatermark).0 == .bytes(SendBuffer.firstWatermark))
  }

  /// Adds pieces until the source has to pause, at most 64. Returns their number.
  private func fillUp(_ buffer: SendBuffer) async throws -> Int {
    let ended = Log<Int>()
    let source = Task {
      var count = 0
      defer { ended.append(count) }
      while count < 64, await buffer.waitForRoom() {
        _ = try buffer.push(Data(count: SendBuffer.firstWatermark))
        count += 1
      }
      return count
    }
    while !buffer.isSourceWaiting, ended.elements.isEmpty { await Task.yield() }
    buffer.close()
    return try await source.value
  }

  @Test func `the buffer grows, up to its limit, when the engine waits after a pause of the source`() async throws {
    let piece = SendBuffer.firstWatermark
    let buffer = SendBuffer(length: nil)
    buffer.open()
    for _ in 0..<10 {
      _ = try buffer.push(Data(count: SendBuffer.lastWatermark))
      let source = Task { await buffer.waitForRoom() }
      while !buffer.isSourceWaiting { await Task.yield() }
      #expect(fill(buffer, SendBuffer.lastWatermark).0 == .bytes(SendBuffer.lastWatermark))
      #expect(await source.value)
      #expect(fill(buffer, 1).0 == .dry)
    }
    _ = try buffer.push(Data([1]))
    #expect(try await fillUp(buffer) == SendBuffer.lastWatermark / piece)
  }

  @Test func `the buffer grows to the size that the engine asks for at once, and no further`() async throws {
    let piece = SendBuffer.firstWatermark
    let buffer = SendBuffer(length: nil)
    buffer.open()
    _ = try buffer.push(Data(count: piece))
    for round in 0..<10 {
      let source = Task { await buffer.waitForRoom() }
      while !buffer.isSourceWaiting { await Task.yield() }
      let count = round == 0 ? piece : piece + 1
      #expect(fill(buffer, piece + 1).0 == .bytes(count))
      #expect(await source.value)
      _ = try buffer.push(Data(count: round == 0 ? 2 * piece : count))
    }
    #expect(fill(buffer, 2 * piece).0 == .bytes(2 * piece))
    #expect(try await fillUp(buffer) == 2)
  }

  @Test func `the buffer of a source that never pauses does not grow`() async throws {
    let buffer = SendBuffer(length: nil)
    buffer.open()
    for _ in 0..<10 {
      _ = try buffer.push(Data([1]))
      #expect(fill(buffer, 10).0 == .bytes(1))
      #expect(fill(buffer, 10).0 == .dry)
    }
    _ = try buffer.push(Data([1]))
    #expect(try await fillUp(buffer) == 1)
  }

  @Test func `the buffer of a slow connection does not grow`() async throws {
    let piece = SendBuffer.firstWatermark
    let buffer = SendBuffer(length: nil)
    buffer.open()
    _ = try buffer.push(Data(count: piece))
    for _ in 0..<10 {
      let source = Task { await buffer.waitForRoom() }
      while !buffer.isSourceWaiting { await Task.yield() }
      #expect(fill(buffer, piece - 1).0 == .bytes(piece - 1))
      #expect(await source.value)
      _ = try buffer.push(Data(count: piece - 1))
    }
    #expect(try await fillUp(buffer) == 0)
  }

  @Test func `a source that waits for room is refused when the buffer is closed`() async {
    let buffer = SendBuffer(length: nil)
    let source = Task {
      #expect(await !buffer.waitForRoom())
      return try buffer.push(Data([1]))
    }
    buffer.close()
    await #expect(throws: CancellationError.self) { try await source.value }
  }

  // MARK: files

  private static let contents = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 1000 &* 7 &+ $0) })

  /// Reads a body to its end or failure, as the engine does, while a task is its source.
  ///
  /// - Parameter change: called after the first bytes.
  private func send(
    _ body: Body, in pieces: Int, change: () throws -> Void = {}
  ) async throws -> (bytes: Data, last: SendBuffer.Filled, failure: (any Error)?) {
    let buffer = SendBuffer(length: body.length)
    let (notices, notify) = AsyncStream.makeStream(of: Void.self)
    let source = Task { await buffer.pump(body) { notify.yield() } }
    buffer.open()
    var (sent, notice) = (Data(), notices.makeAsyncIterator())
    while true {
      let (filled, bytes) = fill(buffer, pieces)
      switch filled {
      case .bytes:
        if sent.isEmpty { try change() }
        sent += bytes
      case .dry: _ = await notice.next()
      case .end, .failed:
        buffer.close()
        await source.value
        return (sent, filled, buffer.failure)
      }
    }
  }

  @Test(arguments: [1000, 262_144, 300_000, 2_000_000])
  func `a file is sent whole`(pieces: Int) async throws {
    let file = try TemporaryFile(Self.contents)
    let whole = try await send(try .file(file.path), in: pieces)
    #expect(whole.bytes == Self.contents && whole.last == .end)
    let range = try await send(try .file(file.path, range: 5000..<995_000), in: pieces)
    #expect(range.bytes == Self.contents[5000..<995_000] && range.last == .end)
  }

  #if os(Linux)
  @Test(arguments: [0..<100_000, 100_000..<400_000, 900_000..<1_000_000, 0..<1_000_000])
  func `a file that the kernel has in memory in part is sent whole`(other: Range<Int>) async throws {
    let file = try TemporaryFile(Self.contents)
    let descriptor = open(file.path, O_RDWR)
    try #require(descriptor >= 0 && fsync(descriptor) == 0)
    defer { close(descriptor) }
    try #require(posix_fadvise(descriptor, other.lowerBound, other.count, POSIX_FADV_DONTNEED) == 0)
    let sent = try await send(.file(file.path), in: 30_000)
    #expect(sent.bytes == Self.contents && sent.last == .end)
  }

  @Test func `the engine reads a file itself that the kernel has in memory`() async throws {
    let file = try TemporaryFile(Self.contents)
    // Some file systems cannot tell.
    guard try BodyFile(path: file.path).open().isInMemory else { return }
    let buffer = SendBuffer(length: 1_000_000)
    let body = try Body.file(file.path)
    let notified = Log<Void>()
    let source = Task { await buffer.pump(body) { notified.append(()) } }
    buffer.open()
    while !buffer.isSourceWaiting { await Task.yield() }
    // More than a piece of the file has, and without a notice of the source.
    #expect(fill(buffer, 900_000).1 == Array(Self.contents.prefix(900_000)))
    #expect(fill(buffer, 900_000).1 == Array(Self.contents.suffix(100_000)))
    // The source ends with the last byte: no task and no open file remain while the response arrives.
    await source.value
    #expect(fill(buffer, 1).0 == .end && notified.elements.isEmpty)
  }
  #endif

  @Test func `a file that shrinks while it is sent fails`() async throws {
    let file = try TemporaryFile(Self.contents)
    let sent = try await send(.file(file.path), in: 30_000) {
      try #require(truncate(file.path, 900_000) == 0)
    }
    #expect(sent.bytes == Self.contents.prefix(900_000) && sent.last == .failed)
    #expect((sent.failure as? LengthMismatch).map { "\($0)" }?.contains("900000") == true)
  }

  @Test func `closing the buffer ends the source while the engine reads the file`() async throws {
    let file = try TemporaryFile(Self.contents)
    let buffer = SendBuffer(length: 1_000_000)
    let body = try Body.file(file.path)
    let source = Task { await buffer.pump(body) {} }
    buffer.open()
    while !buffer.isSourceWaiting { await Task.yield() }
    // Wakes the source without a reason.
    buffer.open()
    while !buffer.isSourceWaiting { await Task.yield() }
    buffer.close()
    await source.value
  }
}
