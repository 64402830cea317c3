import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The output of a response: standard output, or a file that is created when its first byte arrives, so that a transfer that
/// fails before does not overwrite an older file.
struct OutputSink {
  /// The file; nil is standard output, and empty one that the server is to name. A file that the server names, or that must not
  /// replace another one, changes it.
  private(set) var path: String?
  /// Whether binary data is kept from a terminal.
  let sparesTerminal: Bool
  let rules: OutputRules

  private var descriptor: Descriptor?
  /// Whether there is an open file.
  var isOpen: Bool { descriptor != nil }
  private var isNamedByServer = false
  /// How much of the body was written.
  private(set) var bytes: Int64 = 0

  /// - Parameter path: the file, within the folder of the rules; nil is standard output.
  init(path: String?, sparesTerminal: Bool = true, rules: OutputRules = OutputRules()) {
    self.path = path.map { $0.isEmpty ? "" : OutputFile.path($0, in: rules.folder) }
    self.sparesTerminal = sparesTerminal
    self.rules = rules
  }

  /// Takes the name that the server gives the file in this head of a response, if the rules allow it, and creates the file.
  mutating func takeName(fromHead head: Data) throws {
    guard rules.isNamedByServer, path != nil, !isNamedByServer, let name = ContentDisposition.filename(inHead: head) else {
      return
    }
    path = OutputFile.path(name, in: rules.folder)
    isNamedByServer = true
    do { _ = try open() } catch let error as SystemError { throw failure(error) }
  }

  /// Writes a chunk of the body.
  mutating func write(body piece: Data) throws {
    if path == nil, sparesTerminal, bytes == 0, piece.contains(0), Descriptor.output.isTerminal {
      throw CommandFailure(
        ExitStatus.writeError, "the response is binary and could disturb the terminal; use -o FILE, or -o - to print it anyway")
    }
    if let maximum = rules.maximumSize, Int64(piece.count) > maximum - bytes {
      throw CommandFailure(ExitStatus.tooLarge, "Maximum file size exceeded")
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
    do {
      let open = try open()
      guard path != nil else { return }
      descriptor = nil
      if close(open.number) != 0 { throw SystemError() }
    } catch let error as SystemError {
      throw failure(error)
    }
  }

  /// Ends a transfer that has failed. Returns the file that it has removed, if the rules want that.
  mutating func abandon() -> String? {
    guard let path, let open = descriptor else { return nil }
    descriptor = nil
    close(open.number)
    guard rules.removesOnError else { return nil }
    unlink(path)
    return path
  }

  /// Throws away what was written of the body, for another attempt. Returns how many bytes.
  mutating func restart() throws -> Int64 {
    let dropped = bytes
    bytes = 0
    guard path != nil, let descriptor else { return 0 }
    let start = rules.resumesAt ?? 0
    guard ftruncate(descriptor.number, off_t(start)) == 0, lseek(descriptor.number, off_t(start), SEEK_SET) >= 0 else {
      throw CommandFailure(ExitStatus.writeError, "Failed to truncate file")
    }
    return dropped
  }

  private mutating func open() throws -> Descriptor {
    if let descriptor { return descriptor }
    guard let path else { return .output }
    guard !path.isEmpty else {
      throw CommandFailure(
        ExitStatus.writeError, "Failure writing output to destination",
        below: ["neither the URL nor the response has a name for the file; use -o FILE"])
    }
    let opened = try OutputFile.open(path, rules, isNamedByServer: isNamedByServer)
    self.path = opened.path
    descriptor = opened.descriptor
    return opened.descriptor
  }

  private func failure(_ error: SystemError) -> CommandFailure {
    CommandFailure(
      ExitStatus.writeError, "Failure writing output to destination",
      below: ["cannot write to \(path ?? "standard output"): \(error)"])
  }
}
