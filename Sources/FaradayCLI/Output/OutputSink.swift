import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The output of a response: standard output, or a file that is created when its first byte arrives, so that a transfer that
/// fails before does not overwrite an older file.
struct OutputSink {
  /// The file; nil is standard output.
  let path: String?
  /// Whether binary data is kept from a terminal.
  let sparesTerminal: Bool

  private var descriptor: Descriptor?
  private(set) var bytes: Int64 = 0

  init(path: String?, sparesTerminal: Bool = true) {
    self.path = path
    self.sparesTerminal = sparesTerminal
  }

  /// Writes a chunk of the body.
  mutating func write(body piece: Data) throws {
    if path == nil, sparesTerminal, bytes == 0, piece.contains(0), Descriptor.output.isTerminal {
      throw CommandFailure(
        ExitStatus.writeError, "the response is binary and could disturb the terminal; use -o FILE, or -o - to print it anyway")
    }
    try write(piece)
    bytes += Int64(piece.count)
  }

  /// Writes a part of the header.
  mutating func write(_ piece: Data) throws {
    do {
      try open().write(piece)
    } catch let error as SystemError {
      throw failure(error)
    }
  }

  /// Ends a successful transfer: an empty body creates an empty file.
  mutating func finish() throws {
    let open = try open()
    guard path != nil else { return }
    descriptor = nil
    guard close(open.number) == 0 else { throw failure(SystemError()) }
  }

  private mutating func open() throws -> Descriptor {
    if let descriptor { return descriptor }
    guard let path else { return .output }
    #if canImport(Glibc)
    let number = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    #else
    let number = Darwin.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    #endif
    guard number >= 0 else { throw failure(SystemError()) }
    let opened = Descriptor(number: number)
    descriptor = opened
    return opened
  }

  private func failure(_ error: SystemError) -> CommandFailure {
    CommandFailure(ExitStatus.writeError, "cannot write to \(path ?? "standard output"): \(error)")
  }
}
