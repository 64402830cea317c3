import Dispatch
import Faraday

/// An input file named on the command line; `-` is standard input.
struct InputFile: Sendable {
  let name: String

  /// Reads the whole contents.
  func contents() throws -> Data {
    let input = try OpenInput(name)
    var whole = Data()
    while let piece = try input.next() { whole.append(piece) }
    return whole
  }

  /// Reads the text without its line breaks.
  func line() throws -> String {
    String(decoding: try contents().filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 }, as: UTF8.self)
  }

  /// Whether it is a regular file, which has a size and can be read twice.
  var isRegular: Bool {
    var status = stat()
    return name != "-" && stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

/// A stream of the bytes of a pipe, a terminal or a file, read on a thread that may block. A cancelled read of a terminal
/// continues until the process ends.
struct InputPieces: AsyncSequence, Sendable {
  private let input: OpenInput
  /// The offset of the first byte; nil for a pipe, which can be read once.
  private var start: Int64?

  init(_ file: InputFile) throws {
    input = try OpenInput(file.name)
    start = input.position
  }

  var isReplayable: Bool { start != nil }

  /// Sets the offset of the first byte. Returns false for a pipe.
  mutating func begin(at offset: Int64) -> Bool {
    if start != nil { start = offset }
    return start != nil
  }

  func makeAsyncIterator() -> AsyncIterator {
    if let start { input.seek(to: start) }
    return AsyncIterator(input: input)
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let input: OpenInput

    mutating func next() async throws -> Data? {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { [input] in continuation.resume(with: Result { try input.next() }) }
      }
    }
  }
}

/// An open file descriptor, closed with its last reference unless it is standard input. Errors are ``CommandFailure``.
private final class OpenInput: Sendable {
  private let name: String
  private let descriptor: Descriptor

  init(_ name: String) throws {
    self.name = name
    guard name != "-" else {
      descriptor = .input
      return
    }
    descriptor = Descriptor(number: open(name, O_RDONLY | O_CLOEXEC))
    guard descriptor.number >= 0 else { throw Self.failure(name, SystemError()) }
    var status = stat()
    // A directory can be opened but not read. The read would fail only after the request is sent.
    if fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw Self.failure(name, SystemError(number: EISDIR))
    }
  }

  deinit {
    if descriptor.number > STDIN_FILENO { descriptor.close() }
  }

  /// The offset of the next byte; nil if bytes cannot be read again, as from a pipe.
  var position: Int64? {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let position = lseek(descriptor.number, 0, SEEK_CUR)
    return position < 0 ? nil : Int64(position)
  }

  func seek(to offset: Int64) { lseek(descriptor.number, off_t(offset), SEEK_SET) }

  /// Reads the next bytes. Returns nil at the end.
  func next() throws -> Data? {
    // The descriptor must not be closed before the last read.
    defer { withExtendedLifetime(self) {} }
    do {
      let piece = try descriptor.read(upTo: 64 << 10)
      return piece.isEmpty ? nil : piece
    } catch {
      throw Self.failure(name, error)
    }
  }

  private static func failure(_ name: String, _ error: any Error) -> CommandFailure {
    CommandFailure(ExitStatus.readError, "cannot read \(name): \(error)")
  }
}
