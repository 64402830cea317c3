internal import CCurl

/// The event loop below an engine: waits for sockets and timers, and lets libcurl handle them. Used on the engine's thread only.
protocol Driver: AnyObject {
  /// A socket was opened with this file descriptor.
  func opened(_ descriptor: Int32)
  /// Another file was put in place of the descriptor's (`dup2`).
  func replaced(_ descriptor: Int32)
  /// No request is on the connection any more, and libcurl may keep it: what the server does with it is to be noticed.
  func becameIdle(_ descriptor: Int32)
  /// The socket is about to be closed.
  func closed(_ descriptor: Int32)
  /// Lets libcurl handle expired timers, and handles that were just added or resumed. Does not block.
  func act() throws(MultiFailure)
  /// Waits for an event for at most `limit` nanoseconds, and lets libcurl handle what has occurred. In between it calls `woke`,
  /// which returns the time at which to stop and leave the rest for the next call. Returns whether there was an event on a socket.
  func wait(atMost limit: Int64, woke: () -> Int64) throws(MultiFailure) -> Bool
  /// Whether events are left, so that the next call does not block.
  var hasPendingEvents: Bool { get }
}

/// A call to libcurl's multi handle failed: the state of its transfers is unknown.
struct MultiFailure: Error {
  let code: CURLMcode

  static func check(_ code: CURLMcode) throws(MultiFailure) {
    guard code == CURLM_OK else { throw MultiFailure(code: code) }
  }
}

/// A driver over `curl_multi_poll`: portable; each turn costs time for every transfer.
final class PollDriver: Driver {
  private let multi: UnsafeMutableRawPointer
  private let waker: Waker

  init(_ multi: UnsafeMutableRawPointer, waker: Waker) {
    self.multi = multi
    self.waker = waker
  }

  var hasPendingEvents: Bool { false }

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
