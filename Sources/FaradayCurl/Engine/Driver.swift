internal import CCurl

/// Makes libcurl work when there is work: waits for sockets and timers, and lets it act on them. On the engine's thread only.
protocol Driver: AnyObject {
  /// A socket was opened under this number.
  func opened(_ descriptor: Int32)
  /// Another file was put in its place.
  func replaced(_ descriptor: Int32)
  /// libcurl has no more use for it, and it is about to be closed.
  func closed(_ descriptor: Int32)
  /// Lets libcurl do what is due now: timers, and handles that were just added or resumed.
  func act() throws(MultiFailure)
  /// Waits until something happens, `limit` nanoseconds at most, and lets libcurl act on it; `woke` is called in between, and says
  /// when to stop and leave the rest for the next time. Returns whether a socket had news.
  func wait(atMost limit: Int64, woke: () -> Int64) throws(MultiFailure) -> Bool
  /// Whether something has been left: the next time does not wait.
  var hasMore: Bool { get }
}

/// libcurl's multi handle refused a call: the state of its transfers is unknown.
struct MultiFailure: Error {
  let code: CURLMcode

  static func check(_ code: CURLMcode) throws(MultiFailure) {
    guard code == CURLM_OK else { throw MultiFailure(code: code) }
  }
}

/// `curl_multi_poll`: works everywhere, and looks at every transfer at every turn.
final class PollDriver: Driver {
  private let multi: UnsafeMutableRawPointer
  private let waker: Waker

  init(_ multi: UnsafeMutableRawPointer, waker: Waker) {
    self.multi = multi
    self.waker = waker
  }

  var hasMore: Bool { false }

  func opened(_ descriptor: Int32) {}
  func replaced(_ descriptor: Int32) {}
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
