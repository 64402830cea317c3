import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file descriptor with unbuffered output: each chunk is written before the next one is awaited.
struct Descriptor: Sendable {
  let number: Int32

  static let input = Descriptor(number: STDIN_FILENO)
  static let output = Descriptor(number: STDOUT_FILENO)
  static let error = Descriptor(number: STDERR_FILENO)

  /// Keeps files and sockets from the numbers of standard streams that are closed: they would get what is written for the user.
  /// Reading and writing such a stream fails as before.
  static func reserveStandard() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  var isTerminal: Bool { isatty(number) == 1 }

  /// The width of the terminal; 80 if it is unknown.
  var columns: Int {
    var size = winsize()
    guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func write(_ data: Data) throws {
    try data.withUnsafeBytes { try write($0) }
  }

  func write(_ text: String) throws {
    try write(Data(text.utf8))
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
      let written = Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      #else
      let written = Darwin.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      #endif
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        // Somebody shares the terminal or pipe with us and made it non-blocking.
        var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
      } else if errno != EINTR {
        throw SystemError()
      }
    }
  }

  /// Closes it. Errors are ignored.
  func close() {
    #if canImport(Glibc)
    _ = Glibc.close(number)
    #else
    _ = Darwin.close(number)
    #endif
  }

  /// Writes one line for the user. Errors are ignored.
  func say(_ line: String) {
    try? write(line.hasSuffix("\n") ? line : line + "\n")
  }

  /// The next bytes, at most `limit`; empty at the end.
  func read(upTo limit: Int) throws -> Data {
    var bytes = Data(count: limit)
    while true {
      let got = bytes.withUnsafeMutableBytes { buffer in
        #if canImport(Glibc)
        Glibc.read(number, buffer.baseAddress, buffer.count)
        #else
        Darwin.read(number, buffer.baseAddress, buffer.count)
        #endif
      }
      if got >= 0 { return bytes.prefix(got) }
      if errno == EAGAIN {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, -1)
      } else if errno != EINTR {
        throw SystemError()
      }
    }
  }

  func readToEnd() throws -> Data {
    var whole = Data()
    while true {
      let piece = try read(upTo: 64 << 10)
      if piece.isEmpty { return whole }
      whole.append(piece)
    }
  }
}

/// An `errno` with its description.
struct SystemError: Error, CustomStringConvertible {
  let number: Int32

  init(number: Int32 = errno) { self.number = number }

  var description: String { String(cString: strerror(number)) }
}
