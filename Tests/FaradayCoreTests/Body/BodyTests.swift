import FaradayCore
import FoundationEssentials
import Glibc
import Testing

@Suite struct BodyTests {
  @Test func `a missing file or a directory is refused at once`() throws {
    let missing = try #require(throws: BodyError.self) { try Body.file("/nonexistent/file") }
    #expect(missing.description == "cannot read /nonexistent/file: No such file or directory")
    #expect(throws: BodyError.self) { try Body.file("/dev/null") }
    #expect(throws: BodyError.self) { try Body.file("/") }
    // The pipe has no writer: opening it must not block.
    let pipe = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { try? FileManager.default.removeItem(atPath: pipe) }
    #expect(throws: BodyError.self) { try Body.file(pipe) }
  }

  @Test func `a path with a null character is refused`() throws {
    for path in ["/etc/passwd\0.png", "/etc/passwd\0", "\0"] {
      let refused = try #require(throws: BodyError.self) { try Body.file(path) }
      #expect(refused.description.hasPrefix("cannot read \(path): "))
      #expect(refused.description.contains("NUL character"))
    }
  }

  #if os(Linux)
  @Test func `a file without a known length is refused and not sent as empty`() throws {
    let refused = try #require(throws: BodyError.self) { try Body.file("/proc/self/status") }
    #expect(refused.description.contains("its size is reported as 0"))
    // Reading it fails with the reason.
    #expect(throws: BodyError.self) { try Body.file("/proc/self/mem") }
  }
  #endif

  @Test func `a range that is not within the file is refused`() throws {
    let file = try TemporaryFile(Data("0123456789".utf8))
    let wrong: [any RangeExpression<Int64> & Sendable] = [
      0..<11, 10...10, -1..<3, 11..<11, 11..., (-1)..., ...10, ..<11, ..<(-1), ...(-2), 5...Int64.max, Int64.min..<5,
      Int64.max...,
      ...Int64.max,
    ]
    for range in wrong {
      let refused = try #require(throws: BodyError.self) { try Body.file(file.path, range: range) }
      #expect(refused.isUnreadable && refused.description.contains(": the range "))
      #expect(refused.description.hasSuffix(" is not within its 10 bytes"))
    }
    let rest = try #require(throws: BodyError.self) { try Body.file(file.path, range: 11...) }
    #expect(rest.reason == .unreadable(path: file.path, reason: "the range 11... is not within its 10 bytes"))
    #expect(throws: BodyError.self) { try Body.file("/nonexistent/file", range: 0..<1) }
  }

  @Test func `a range of a file is read repeatedly, with its length`() async throws {
    let file = try TemporaryFile(Data("0123456789".utf8))
    let ranges: [(any RangeExpression<Int64> & Sendable, String)] = [
      (0..<10, "0123456789"), (3..<5, "34"), (3...5, "345"), (7..., "789"), (..<2, "01"), (...2, "012"), (10..., ""), (4..<4, ""),
    ]
    for (range, text) in ranges {
      let body = try Body.file(file.path, range: range)
      #expect(body.length == Int64(text.utf8.count) && body.isReplayable && body.isStreamed && body.data == nil)
      for _ in 0..<2 { #expect(try await body.utf8Text() == text) }
    }
  }

  /// Bytes that differ from one piece to the next, so that an exchanged piece is noticed.
  private static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

  @Test func `pieces of a file that are kept do not change when the memory of others is used again`() async throws {
    let file = try TemporaryFile(Self.pattern(3_000_000))
    var (kept, count): ([Data], Int) = ([], 0)
    for try await piece in try Body.file(file.path) {
      // The memory of every second piece is free for the next one.
      if count.isMultiple(of: 2) { kept.append(piece) }
      count += 1
    }
    let size = try #require(kept.first?.count)
    #expect(count == (file.contents.count + size - 1) / size)
    for (index, piece) in kept.enumerated() { #expect(piece == file.contents.dropFirst(2 * index * size).prefix(size)) }
  }

  @Test func `a range larger than a piece is read in pieces`() async throws {
    let file = try TemporaryFile(Self.pattern(600_000))
    let body = try Body.file(file.path, range: 1000..<599_000)
    #expect(try await body.collect() == file.contents[1000..<599_000])
  }

  #if os(Linux)
  @Test func `a file that the kernel has in memory in part is read whole`() async throws {
    let file = try TemporaryFile(Self.pattern(1_000_000))
    let descriptor = open(file.path, O_RDWR)
    try #require(descriptor >= 0 && fsync(descriptor) == 0)
    defer { close(descriptor) }
    try #require(posix_fadvise(descriptor, 100_000, 300_000, POSIX_FADV_DONTNEED) == 0)
    #expect(try await Body.file(file.path).collect() == file.contents)
  }
  #endif

  @Test func `a file and a range of it are described as such`() throws {
    let file = try TemporaryFile(Data("0123456789".utf8))
    #expect(try Body.file(file.path).description == "a file of 10 bytes")
    #expect(try Body.file(file.path, range: 1..<4).description == "a range of a file of 3 bytes")
  }

  @Test func `a file that shrinks or goes after its range was taken ends early or is an error`() async throws {
    let file = try TemporaryFile(Data("0123456789".utf8))
    let (middle, rest) = (try Body.file(file.path, range: 2..<8), try Body.file(file.path, range: 6...))
    let url = URL(filePath: file.path)
    try Data("abcd".utf8).write(to: url)
    #expect(try await middle.utf8Text() == "cd")
    #expect(try await rest.utf8Text() == "")
    try Data("abcdefghijklmnop".utf8).write(to: url)
    #expect(try await middle.utf8Text() == "cdefgh")
    #expect(try await rest.utf8Text() == "ghij")
    try FileManager.default.removeItem(atPath: file.path)
    let error = await #expect(throws: BodyError.self) { try await rest.utf8Text() }
    #expect(error?.isUnreadable == true)
  }

  @Test func `an empty file is an empty body`() async throws {
    let file = try TemporaryFile(Data())
    let body = try Body.file(file.path)
    #expect(body.length == 0)
    #expect(try await body.collect().isEmpty)
  }

  @Test func `collecting more than the limit is an error, whatever the body`() async throws {
    let large = Data(repeating: 1, count: 101)
    for body in [Body.data(large), .stream(Pieces([large])), .stream(Pieces([large]), length: 101)] {
      await #expect(throws: BodyError(.tooLarge(limit: 100))) { try await body.collect(upTo: 100) }
    }
  }

  @Test func `a negative limit fails for any byte and never traps`() async {
    await #expect(processExitsWith: .success) {
      for body in [Body.text("abc"), .stream(Pieces([Data("abc".utf8)]))] {
        await #expect(throws: BodyError(.tooLarge(limit: -1))) { try await body.collect(upTo: -1) }
        let (bytes, isCut) = try await body.prefix(upTo: -1)
        #expect(bytes.isEmpty && isCut)
        await body.discard(upTo: -1)
      }
    }
  }

  @Test func `a body whose length exceeds the limit is not read`() async {
    let unread = AsyncStream<Data> {
      Issue.record("it was read")
      return nil
    }
    await #expect(throws: BodyError(.tooLarge(limit: 10))) { try await Body.stream(unread, length: 11).collect(upTo: 10) }
  }

  @Test func `a value that is not encoded cannot be read`() async {
    await #expect(throws: BodyError.self) { try await Body.encodable(["a": 1]).collect() }
  }

  @Test func `a file body can be read repeatedly`() async throws {
    let file = try TemporaryFile(Self.pattern(600_000))
    let body = try Body.file(file.path)
    #expect(body.length == 600_000)
    #expect(body.isReplayable)
    #expect(body.data == nil)
    for _ in 0..<2 { #expect(try await body.collect() == file.contents) }
  }

  @Test func `a stream has its declared length and replayability`() async throws {
    let once = Body.stream(Pieces([Data("ab".utf8), Data("c".utf8)]))
    #expect(once.length == nil && !once.isReplayable && once.isStreamed)
    #expect(try await once.utf8Text() == "abc")
    let stated = Body.stream(Pieces([]), length: 3, isReplayable: true)
    #expect(stated.length == 3 && stated.isReplayable)
  }

  @Test func `empty bodies and bytes are read without suspension`() {
    #expect(Body.empty.data == Data())
    #expect(Body.data(Data()).isEmpty)
    #expect(("text" as Body).data == Data("text".utf8))
    #expect(("text" as Body).length == 4)
  }
}

/// An async sequence of given pieces.
struct Pieces: AsyncSequence, Sendable {
  let pieces: [Data]
  init(_ pieces: [Data]) { self.pieces = pieces }

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Data>
    mutating func next() async -> Data? { rest.popFirst() }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}

/// A file that goes with its last reference.
final class TemporaryFile: Sendable {
  let path: String
  let contents: Data

  init(_ contents: Data) throws {
    path = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    self.contents = contents
    try contents.write(to: URL(filePath: path))
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
