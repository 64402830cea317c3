import Faraday

/// The output of a response: standard output or a file. The file is created when its first byte arrives, so that a transfer
/// that fails earlier does not overwrite an older file.
struct OutputSink {
  /// The path of the file: nil for standard output, empty if the server must name the file. The path changes if the server
  /// names the file, or if the file must not replace an existing one.
  private(set) var path: String?
  /// Whether binary data is an error if standard output is a terminal.
  let sparesTerminal: Bool
  let rules: OutputRules

  private var descriptor: Descriptor?
  /// Whether there is an open file.
  var isOpen: Bool { descriptor != nil }
  private var isNamedByServer = false
  /// The number of body bytes written.
  private(set) var bytes: Int64 = 0

  /// - Parameter path: the file, within the folder of the rules; nil is standard output.
  init(path: String?, sparesTerminal: Bool = true, rules: OutputRules = OutputRules()) {
    self.path = path.map { $0.isEmpty ? "" : OutputFile.path($0, in: rules.folder) }
    self.sparesTerminal = sparesTerminal
    self.rules = rules
  }

  /// Uses the filename in this response head, if the rules allow it, and creates the file.
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

  /// Ends a failed transfer. If the rules require it, removes the file, but not a device or a pipe, and returns its path.
  mutating func abandon() -> String? {
    guard let path, let open = descriptor else { return nil }
    let isRegular = open.isRegular
    descriptor = nil
    close(open.number)
    guard rules.removesOnError, isRegular else { return nil }
    unlink(path)
    return path
  }

  /// Discards the body bytes written to a file, before another attempt. Returns their number.
  mutating func restart() throws -> Int64 {
    let dropped = bytes
    bytes = 0
    // What a device or a pipe has received cannot be taken back.
    guard path != nil, let descriptor, descriptor.isRegular else { return 0 }
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

/// `-C`: requests the rest of a body and evaluates the response as libcurl does.
struct Resumption: Equatable, Sendable {
  /// The number of bytes that the file already has.
  let offset: Int64

  enum Verdict: Equatable {
    /// The body is the rest.
    case append
    /// The file is complete: the body of the response does not belong to it.
    case complete
  }

  /// Decides how to use the response's body. Throws curl's error 33 if the server sends the whole body instead of the rest.
  func verdict(on response: Response) throws -> Verdict {
    guard offset > 0 else { return .append }
    if response.status.code == 416 { return .complete }
    let ranges = response.headers[values: .contentRange]
    if ranges.contains(where: { start(of: $0) == offset }) { return .append }
    if response.body.length == 0 { return .append }
    if response.body.length == offset { return .complete }
    throw CommandFailure(ExitStatus.rangeError, "HTTP server doesn't seem to support byte ranges. Cannot resume.")
  }

  /// Whether `-f` accepts this response: a 416 to a range request. As in libcurl, a 416 whose `Content-Range` has no first byte
  /// is not accepted. This is the form of a 416 (RFC 9110, section 14.4), and libcurl then forgets that it requested a range.
  func excuses(_ response: Response) -> Bool {
    guard offset > 0, response.status.code == 416 else { return false }
    return response.headers[values: .contentRange].allSatisfy { start(of: $0) != nil }
  }

  /// The first number of a `Content-Range`; nil if an asterisk precedes it.
  private func start(of range: String) -> Int64? {
    let digits = range.utf8.drop { !$0.isDigit && $0 != UInt8(ascii: "*") }.prefix { $0.isDigit }
    return Int64(String(decoding: Array(digits), as: UTF8.self))
  }
}
