private import FaradayTesting
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A program that a test starts, with pipes for its standard input and output, and nothing else of this process: a descriptor
/// that it inherited would keep pipes and sockets of other tests open for as long as it runs.
///
/// Its input ends with this object, or with this process. Errors go where this process's go. For one thread at a time.
package final class ChildProcess: @unchecked Sendable {
  // Safe to share as documented: one thread at a time.
  private let process: pid_t
  private var output: Int32
  private var input: Int32
  private var status: Int32?

  /// Starts the program, found in the usual places if the name has no slash. Throws a ``SocketError`` if it cannot.
  package init(_ program: String, _ arguments: [String]) throws {
    let (childInput, input) = try Self.pipe()
    let (output, childOutput) = try Self.pipe()
    defer {
      close(childInput)
      close(childOutput)
    }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, childInput, 0)
    posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
    _ = closeFrom?(&actions, 3)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, nil, &words, environ)
    guard code == 0 else {
      close(input)
      close(output)
      throw SocketError(call: "posix_spawn", code: code)
    }
    self.process = process
    self.input = input
    self.output = output
  }

  deinit {
    closeInput()
    if status == nil { kill(process, SIGKILL) }
    wait()
    closeOutput()
  }

  /// Reads available output, blocking for the first byte; empty when the process has closed its output.
  package func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    var count: Int
    repeat { count = systemRead(output, &bytes, bytes.count) } while count < 0 && errno == EINTR
    return Array(bytes.prefix(max(0, count)))
  }

  /// Like ``read()``, for tasks.
  package func next() async -> [UInt8] {
    await onThread { self.read() } ?? []
  }

  package func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(input, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(0, count))
    }
  }

  /// Closes the reading end of its output.
  package func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  package func signal(_ number: Int32) { kill(process, number) }

  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for its end, and gives its exit status; -1 if a signal ended it.
  @discardableResult
  package func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(process, &raw, 0) < 0 && errno == EINTR {}
    let exited = raw & 0x7F == 0
    status = exited ? raw >> 8 & 0xFF : -1
    return exited ? raw >> 8 & 0xFF : -1
  }

  /// Like ``wait()``, for tasks.
  package func ended() async -> Int32 {
    await onThread { self.wait() } ?? -1
  }

  /// Runs a blocking call on a new thread instead of the cooperative pool. Nil if no thread can be created.
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
      do {
        try spawnThread { continuation.resume(returning: body()) }
      } catch {
        continuation.resume(returning: nil)
      }
    }
  }

  private static func pipe() throws -> (readable: Int32, writable: Int32) {
    var ends: [Int32] = [-1, -1]
    guard systemPipe(&ends) == 0 else { throw SocketError(call: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}

// The methods above have these names too.
#if canImport(Glibc)
private let systemRead = Glibc.read
private let systemWrite = Glibc.write
private let systemPipe: @Sendable (UnsafeMutablePointer<Int32>?) -> Int32 = Glibc.pipe

// Since glibc 2.34, and not in Swift's view of it.
private let closeFrom = unsafeBitCast(
  dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
  to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32)?.self)
#elseif canImport(Darwin)
private let systemRead = Darwin.read
private let systemWrite = Darwin.write
private let systemPipe: @Sendable (UnsafeMutablePointer<Int32>?) -> Int32 = Darwin.pipe
private let closeFrom: (@Sendable (UnsafeMutablePointer<posix_spawn_file_actions_t?>, Int32) -> Int32)? = nil
#endif
