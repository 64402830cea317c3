internal import CCurl
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The event loop below an engine: waits for sockets and timers, and lets libcurl handle them. Used on the engine's thread
/// only.
protocol Driver: AnyObject {
  /// A socket was opened with this file descriptor.
  func opened(_ descriptor: Int32)
  /// The descriptor's file was replaced (`dup2`).
  func replaced(_ descriptor: Int32)
  /// The last request on the connection has ended, and libcurl may keep the connection: the driver watches for bytes and for a
  /// close.
  func becameIdle(_ descriptor: Int32)
  /// The socket is about to be closed.
  func closed(_ descriptor: Int32)
  /// Lets libcurl handle expired timers, and handles that were just added or resumed. Does not block.
  func act() throws(MultiFailure)
  /// Whether ``act()`` lets libcurl check all transfers, not only those that have something to do.
  var checksAll: Bool { get }
  /// Waits for an event for at most `limit` nanoseconds, and lets libcurl handle the events. Before handling them it calls
  /// `woke`, which returns the time at which to stop and leave the rest to the next call. Returns whether a socket had an
  /// event.
  func wait(atMost limit: Int64, woke: () -> Int64) throws(MultiFailure) -> Bool
  /// Whether unhandled events are left, so that the next call does not block.
  var hasPendingEvents: Bool { get }
}

/// A failed call to libcurl's multi handle. The state of its transfers is unknown.
struct MultiFailure: Error {
  let code: CURLMcode

  static func check(_ code: CURLMcode) throws(MultiFailure) {
    guard code == CURLM_OK else { throw MultiFailure(code: code) }
  }
}

/// A driver over `curl_multi_poll`: portable. The cost of a turn grows with the number of transfers.
final class PollDriver: Driver {
  private let multi: UnsafeMutableRawPointer
  private let waker: Waker

  init(_ multi: UnsafeMutableRawPointer, waker: Waker) {
    self.multi = multi
    self.waker = waker
  }

  var hasPendingEvents: Bool { false }
  var checksAll: Bool { true }

  func opened(_ descriptor: Int32) {}
  func replaced(_ descriptor: Int32) {}
  func becameIdle(_ descriptor: Int32) {}
  func closed(_ descriptor: Int32) {}

  func act() throws(MultiFailure) {
    var running: Int32 = 0
    try MultiFailure.check(curl_multi_perform(multi, &running))
  }

  func wait(atMost limit: Int64, woke: () -> Int64) throws(MultiFailure) -> Bool {
    var ready: Int32 = 0
    var extra = curl_waitfd(fd: waker.readable, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    let milliseconds = Int32(clamping: (limit + 999_999) / 1_000_000)
    try MultiFailure.check(curl_multi_poll(multi, &extra, 1, milliseconds, &ready))
    _ = woke()
    if extra.revents != 0 { waker.drain() }
    try act()
    return ready > 0
  }
}

/// Wakes the engine's thread: a file descriptor that becomes readable (an eventfd on Linux, a pipe elsewhere). Thread-safe.
final class Waker: Sendable {
  let readable: Int32
  private let writable: Int32

  /// Returns nil if there is no free file descriptor.
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
