internal import CCurl
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Wakes the engine's thread: a file descriptor that becomes readable (an eventfd on Linux, a pipe elsewhere). Thread-safe.
final class Waker: Sendable {
  let readable: Int32
  private let writable: Int32

  /// Nil if there is no free file descriptor.
  init?() {
    #if os(Linux)
    readable = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    writable = readable
    guard readable >= 0 else { return nil }
    #else
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    (readable, writable) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    #endif
  }

  deinit {
    close(readable)
    if writable != readable { close(writable) }
  }

  func wake() {
    var one: UInt64 = 1
    _ = write(writable, &one, MemoryLayout<UInt64>.size)
  }

  func drain() {
    var count: UInt64 = 0
    while read(readable, &count, MemoryLayout<UInt64>.size) > 0 && readable != writable {}
  }
}
