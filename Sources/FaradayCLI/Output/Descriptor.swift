import Faraday
// The C library, for all files of the command: descriptors, terminals, signals and times.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif

/// A file descriptor with unbuffered output: each chunk is written before the next one is awaited.
struct Descriptor: Sendable {
  let number: Int32

  static let input = Descriptor(number: STDIN_FILENO)
  static let output = Descriptor(number: STDOUT_FILENO)
  static let error = Descriptor(number: STDERR_FILENO)

  /// Reserves the numbers of closed standard streams, so that no file or socket gets such a number and receives output for the
  /// user. Reading and writing such a stream still fails.
  static func reserveStandard() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  var isTerminal: Bool { isatty(number) == 1 }

  /// Whether it is a regular file, which can be truncated and removed.
  var isRegular: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The width of the terminal; 80 if it is unknown.
  var columns: Int {
    var size = winsize()
    guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func write(_ text: String) throws { try write(Data(text.utf8)) }

  func write(_ data: Data) throws {
    var rest = data[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(number, $0) }
      if written >= 0 { rest = rest.dropFirst(written) } else { try awaitReadiness(for: POLLOUT) }
    }
  }

  /// Closes the descriptor. Errors are ignored.
  func close() { systemClose(number) }

  /// Writes one line for the user. Errors are ignored.
  func say(_ line: String) { try? write(line.hasSuffix("\n") ? line : line + "\n") }

  /// Reads the next bytes, at most `limit`. Returns empty data at the end.
  func read(upTo limit: Int) throws -> Data {
    var bytes = Data(count: limit)
    while true {
      let got = bytes.withUnsafeMutableBytes { systemRead(number, into: $0) }
      if got >= 0 { return bytes.prefix(got) }
      try awaitReadiness(for: POLLIN)
    }
  }

  /// Waits after a call that failed because the terminal or pipe is non-blocking. Another process that shares it can make it
  /// non-blocking. Throws other errors, except for interruptions.
  private func awaitReadiness(for events: Int32) throws {
    let error = SystemError()
    guard error.number == EAGAIN || error.number == EINTR else { throw error }
    var wait = pollfd(fd: number, events: Int16(events), revents: 0)
    if error.number == EAGAIN { _ = poll(&wait, 1, -1) }
  }
}

/// An output file besides the bodies: `-` is standard output and `%` standard error. Closed with its last reference.
final class NamedOutput: Sendable {
  let descriptor: Descriptor

  /// Creates or empties the file. Throws a ``CommandFailure``.
  init(_ path: String, createsFolders: Bool = false, appends: Bool = false, status: Int32 = ExitStatus.writeError) throws {
    switch path {
    case "-": descriptor = .output
    case "%": descriptor = .error
    default:
      var rules = OutputRules(clobber: .always, createsFolders: createsFolders)
      if appends { rules.resumesAt = .max }
      do {
        descriptor = try OutputFile.open(path, rules, isNamedByServer: false).descriptor
      } catch {
        throw CommandFailure(status, "Failed to open \(path): \(error)")
      }
    }
  }

  deinit { if descriptor.number > STDERR_FILENO { descriptor.close() } }
}

/// An `errno` with its description.
struct SystemError: Error, CustomStringConvertible {
  let number: Int32

  init(number: Int32 = errno) { self.number = number }

  var description: String { String(cString: strerror(number)) }
}

// Some types have methods with the names of these system calls.
func systemRead(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(number, buffer.baseAddress, buffer.count)
}
func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(number, bytes.baseAddress, bytes.count) }
func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags | O_CLOEXEC, 0o666) }
func systemClose(_ number: Int32) { close(number) }
