import FaradayCore
import FoundationEssentials
import Glibc
import Testing

@Suite struct BodyTests {
  @Test func `a file that is missing or no regular file is refused at once`() throws {
    let missing = try #require(throws: BodyFile.Unreadable.self) { try Body.file("/nonexistent/file") }
    #expect(missing.description == "cannot read /nonexistent/file: No such file or directory")
    #expect(throws: BodyFile.Unreadable.self) { try Body.file("/dev/null") }
    #expect(throws: BodyFile.Unreadable.self) { try Body.file("/") }
    // Nobody writes to it: opening it must not wait for that.
    let pipe = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { try? FileManager.default.removeItem(atPath: pipe) }
    #expect(throws: BodyFile.Unreadable.self) { try Body.file(pipe) }
  }

  @Test func `a path that the system would cut off at a null character is refused`() throws {
    for path in ["/etc/passwd\0.png", "/etc/passwd\0", "\0"] {
      let refused = try #require(throws: BodyFile.Unreadable.self) { try Body.file(path) }
      #expect(refused.path == path)
      #expect(refused.reason.contains("NUL character"))
    }
  }

  #if os(Linux)
  @Test func `a file that hides its length is refused, and is not sent as if it were empty`() throws {
    let refused = try #require(throws: BodyFile.Unreadable.self) { try Body.file("/proc/self/status") }
    #expect(refused.reason.contains("its size is reported as 0"))
    // Reading it fails, and says why.
    #expect(throws: BodyFile.Unreadable.self) { try Body.file("/proc/self/mem") }
  }
  #endif

  @Test func `an empty file is an empty body`() async throws {
    let file = try TemporaryFile(Data())
    let body = try Body.file(file.path)
    #expect(body.length == 0)
    #expect(try await body.collect().isEmpty)
  }

  @Test func `collecting more than the limit is an error, whatever the body`() async throws {
    let large = Data(repeating: 1, count: 101)
    for body in [Body.data(large), .stream(Pieces([large])), .stream(Pieces([large]), length: 101)] {
      await #expect(throws: BodyTooLarge(limit: 100)) { try await body.collect(upTo: 100) }
    }
  }

  @Test func `a limit below nothing is one that every byte is over, and ends no process`() async {
    await #expect(processExitsWith: .success) {
      for body in [Body.text("abc"), .stream(Pieces([Data("abc".utf8)]))] {
        await #expect(throws: BodyTooLarge(limit: -1)) { try await body.collect(upTo: -1) }
        let (bytes, isCut) = try await body.start(upTo: -1)
        #expect(bytes.isEmpty && isCut)
        await body.discard(upTo: -1)
      }
    }
  }

  @Test func `a body that is said to be longer than the limit is not read`() async {
    let unread = AsyncStream<Data> {
      Issue.record("it was read")
      return nil
    }
    await #expect(throws: BodyTooLarge(limit: 10)) { try await Body.stream(unread, length: 11).collect(upTo: 10) }
  }

  @Test func `a value that nobody has encoded cannot be read`() async {
    await #expect(throws: UnencodedBody.self) { try await Body.value(["a": 1]).collect() }
  }

  @Test func `a file gives its bytes, again and again`() async throws {
    let file = try TemporaryFile(Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0) }))
    let body = try Body.file(file.path)
    #expect(body.length == 600_000)
    #expect(body.isReplayable)
    #expect(body.data == nil)
    for _ in 0..<2 { #expect(try await body.collect() == file.contents) }
  }

  @Test func `a stream is as long and as replayable as it says`() async throws {
    let once = Body.stream(Pieces([Data("ab".utf8), Data("c".utf8)]))
    #expect(once.length == nil && !once.isReplayable && once.isStreamed)
    #expect(try await once.text() == "abc")
    let stated = Body.stream(Pieces([]), length: 3, isReplayable: true)
    #expect(stated.length == 3 && stated.isReplayable)
  }

  @Test func `nothing and bytes are there without waiting`() {
    #expect(Body.empty.data == Data())
    #expect(Body.data(Data()).isEmpty)
    #expect(("text" as Body).data == Data("text".utf8))
    #expect(("text" as Body).length == 4)
  }
}

/// An async sequence of what it was given.
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
