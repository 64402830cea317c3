import Dispatch
import Faraday
import Synchronization
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A stream of the bytes of a pipe, a terminal or a file, read on a thread that may block.
struct InputPieces: AsyncSequence, Sendable {
  let input: OpenInput
  /// Where it begins; nil for a pipe, which can be read once.
  private let start: Int64?

  /// The bytes from where the input is now.
  init(_ input: OpenInput) {
    self.input = input
    start = input.position
  }

  var isReplayable: Bool { start != nil }

  func makeAsyncIterator() -> AsyncIterator {
    if let start { _ = input.skip(start) }
    return AsyncIterator(input: input)
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    let input: OpenInput

    mutating func next() async throws -> Data? {
      let isCancelled = Latch()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          DispatchQueue.global().async { [input] in
            continuation.resume(with: Result { try input.next(unless: isCancelled) })
          }
        }
      } onCancel: {
        isCancelled.raise()
      }
    }
  }
}

/// An open file descriptor, closed with its last reference unless it is standard input.
final class OpenInput: Sendable {
  private let name: String
  let descriptor: Descriptor

  init(_ name: String) throws {
    self.name = name
    guard name != "-" else {
      descriptor = .input
      return
    }
    let number = open(name, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError() }
    var status = stat()
    // A directory can be opened, and fails when it is read: too late to say so before anything is sent.
    if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(number)
      throw SystemError(number: EISDIR)
    }
    descriptor = Descriptor(number: number)
  }

  deinit {
    if descriptor.number != STDIN_FILENO { close(descriptor.number) }
  }

  /// The whole contents. Extends the lifetime, as the descriptor must not be closed before the last read.
  func readToEnd() throws -> Data {
    try withExtendedLifetime(self) { try descriptor.readToEnd() }
  }

  /// Where the next byte is read; nil for what cannot be read again, such as a pipe.
  var position: Int64? {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let position = lseek(descriptor.number, 0, SEEK_CUR)
    return position < 0 ? nil : Int64(position)
  }

  /// Goes to so many bytes behind the start. Returns false for a pipe.
  func skip(_ count: Int64) -> Bool {
    lseek(descriptor.number, off_t(count), SEEK_SET) >= 0
  }

  /// The next bytes; nil at the end. Throws a ``CommandFailure``. Polls every 100 ms, so that a cancelled read of a terminal ends.
  func next(unless isCancelled: Latch) throws -> Data? {
    defer { withExtendedLifetime(self) {} }
    var wait = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    while poll(&wait, 1, 100) <= 0 {
      if isCancelled.isRaised { throw CancellationError() }
    }
    do {
      let piece = try descriptor.read(upTo: 64 << 10)
      return piece.isEmpty ? nil : piece
    } catch {
      throw CommandFailure.unreadable(name, error)
    }
  }
}

/// A flag that can be set once, from any thread.
final class Latch: Sendable {
  private let raised = Atomic(false)

  var isRaised: Bool { raised.load(ordering: .acquiring) }

  func raise() { raised.store(true, ordering: .releasing) }
}
