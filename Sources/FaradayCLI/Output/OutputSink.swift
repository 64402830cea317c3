import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where the response goes: standard output, or a file that is made when its first byte arrives, so that a transfer
/// that fails before leaves an older file alone.
struct OutputSink {
  /// The file; nil is standard output.
  let path: String?
  /// Whether a terminal is spared what is no text.
  let sparesTerminal: Bool

  private var descriptor: Descriptor?
  private(set) var bytes: Int64 = 0

  init(path: String?, sparesTerminal: Bool = true) {
    self.path = path
    self.sparesTerminal = sparesTerminal
  }

  /// Writes a piece of the body.
  mutating func write(body piece: Data) throws {
    if path == nil, sparesTerminal, bytes == 0, piece.contains(0), Descriptor.output.isTerminal {
      throw CommandFailure(
        ExitStatus.writeError, "this is no text and could upset the terminal; use -o FILE, or -o - to have it all the same")
    }
    try write(piece)
    bytes += Int64(piece.count)
  }

  /// Writes a piece of the head.
  mutating func write(_ piece: Data) throws {
    do {
      try open().write(piece)
    } catch let error as SystemError {
      throw failure(error)
    }
  }

  /// Ends a transfer that went well: a body without a byte still makes a file.
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
