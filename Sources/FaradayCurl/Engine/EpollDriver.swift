#if os(Linux)
internal import CCurl
private import Glibc

/// A driver over `curl_multi_socket_action` and epoll, level-triggered for sockets. The cost of a turn grows only with the
/// number of active sockets.
///
/// Registrations are updated lazily, once per turn. A socket that libcurl no longer watches stays registered until an event
/// occurs, so that a request over a keep-alive connection needs no system call for it.
final class EpollDriver: Driver {
  private struct Interest {
    /// The events that libcurl waits for.
    var events: UInt32 = 0
    /// The events that epoll is registered for.
    var registered: UInt32 = 0
    /// Whether the socket was opened by our callback. Its close is then reported, and `registered` is reliable even if the
    /// descriptor is reused.
    var isTracked = false
    var isDirty = false
    /// Whether the connection has no request, and is watched for bytes and for a close.
    var isIdle = false
    /// The time at which libcurl last handled an event, if it must read once more: see `readOnceMore(at:)`.
    var unsettledSince: Int64?
  }

  private let multi: UnsafeMutableRawPointer
  private let waker: Waker
  private let sockets: Sockets
  private let epoll: Int32
  // No run-time checks for exclusive access, as in `Sockets`.
  @exclusivity(unchecked) private var interests: [Interest] = []
  @exclusivity(unchecked) private var dirty: [Int32] = []
  private var timer: Int64?
  /// HTTP/2 connections on which libcurl must read once more, and the time of the next read.
  private var unsettled: [Int32] = []
  private var nextReading = Int64.max
  private var pending = [epoll_event](repeating: epoll_event(), count: 256)
  /// The indices of unhandled events in `pending`.
  private var unhandled = 0..<0

  /// Returns nil if there is no free file descriptor.
  init?(_ multi: UnsafeMutableRawPointer, waker: Waker, _ sockets: Sockets) {
    self.multi = multi
    self.waker = waker
    self.sockets = sockets
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { return nil }
    // Edge-triggered: each wake-up is one event, so that the eventfd, a counter of 64 bits, needs no read after it.
    var event = faraday_epoll_event(EPOLLIN.rawValue | EPOLLET.rawValue, waker.readable)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, waker.readable, &event) == 0 else { return nil }
    let this = Unmanaged.passUnretained(self).toOpaque()
    faraday_multi_set_socket(multi, socketCallback, this)
    faraday_multi_set_timer(multi, timerCallback, this)
  }

  deinit { close(epoll) }

  func act() throws(MultiFailure) {
    guard let due = timer, due <= Clock.now else { return }
    timer = nil
    try act(on: faraday_socket_timeout, 0)
  }

  var hasPendingEvents: Bool { !unhandled.isEmpty }
  var checksAll: Bool { false }

  func wait(atMost limit: Int64, woke: () -> Int64) throws(MultiFailure) -> Bool {
    register()
    if unhandled.isEmpty {
      let count = epoll_wait(epoll, &pending, Int32(pending.count), milliseconds(limit))
      unhandled = 0..<max(0, Int(count))
    }
    let end = woke()
    let hasNews = !unhandled.isEmpty
    while let index = unhandled.popFirst() {
      let descriptor = withUnsafePointer(to: pending[index]) { faraday_epoll_descriptor($0) }
      if descriptor >= 0, descriptor != waker.readable {
        try handleEvents(pending[index].events, on: descriptor)
      }
      if Clock.now >= end { break }
    }
    try act()
    try readOnceMore(at: Clock.now)
    return hasNews
  }

  private func handleEvents(_ flags: UInt32, on descriptor: Int32) throws(MultiFailure) {
    guard interests[Int(descriptor)].events != 0 else { return handleUnexpectedEvents(on: descriptor) }
    var mask: Int32 = 0
    if flags & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { mask |= CURL_CSELECT_IN }
    if flags & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
    if flags & EPOLLERR.rawValue != 0 { mask |= CURL_CSELECT_ERR }
    try act(on: descriptor, mask)
    if sockets.isHTTP2(descriptor) { noteUnsettled(descriptor) }
  }

  /// The time for which an HTTP/2 connection must be quiet before libcurl reads once more, in nanoseconds.
  private static let quietTime: Int64 = 10_000_000

  private func noteUnsettled(_ descriptor: Int32) {
    let now = Clock.now
    if interests[Int(descriptor)].unsettledSince == nil { unsettled.append(descriptor) }
    interests[Int(descriptor)].unsettledSince = now
    nextReading = min(nextReading, now + Self.quietTime)
  }

  /// Makes libcurl read from HTTP/2 connections that have become quiet. After a protocol violation of the server, libcurl has
  /// sent GOAWAY, and notices the end of the session only at its next read. If the server does not close the connection, the
  /// transfers would otherwise wait until their idle timeout.
  private func readOnceMore(at now: Int64) throws(MultiFailure) {
    guard nextReading <= now else { return }
    let round = unsettled
    unsettled.removeAll(keepingCapacity: true)
    nextReading = .max
    for descriptor in round {
      guard let since = interests[Int(descriptor)].unsettledSince else { continue }
      if since + Self.quietTime > now {
        unsettled.append(descriptor)
        nextReading = min(nextReading, since + Self.quietTime)
      } else {
        interests[Int(descriptor)].unsettledSince = nil
        let isRead = interests[Int(descriptor)].events & EPOLLIN.rawValue != 0
        if isRead, sockets.isUsed(descriptor) { try act(on: descriptor, CURL_CSELECT_IN) }
      }
    }
  }

  /// Handles an event on a socket that libcurl does not watch. Either its transfer is paused, or the connection is idle and the
  /// server has closed it or sent unsolicited bytes. (On an idle HTTP/2 or HTTP/3 connection such bytes belong to the
  /// connection, and libcurl reads them.)
  private func handleUnexpectedEvents(on descriptor: Int32) {
    let isIdle = interests[Int(descriptor)].isTracked && !sockets.isUsed(descriptor)
    // The event may report the end of a response that was read in the meantime.
    if isIdle, faraday_is_readable_or_closed(descriptor) == 0 { return }
    forget(descriptor)
    guard isIdle else { return }
    if sockets.isMultiplexed(descriptor) { sockets.noteDeadConnection() } else { sockets.retire(descriptor) }
  }

  private func act(on descriptor: curl_socket_t, _ mask: Int32) throws(MultiFailure) {
    var running: Int32 = 0
    try MultiFailure.check(curl_multi_socket_action(multi, descriptor, mask, &running))
  }

  // libcurl before 8.4 rounds its timers down: a wake-up at exactly that time would find no work, and sleep another
  // millisecond.
  private func milliseconds(_ limit: Int64) -> Int32 {
    var wait = min(limit, nextReading == .max ? limit : nextReading - Clock.now)
    if let timer {
      let left = timer - Clock.now
      wait = min(wait, left > 0 && !Library.Behaviour.roundsTimersUp ? left + 1_000_000 : left)
    }
    return Int32(clamping: max(0, (wait + 999_999) / 1_000_000))
  }

  // MARK: notifications from libcurl

  /// Called just before the socket is closed. Its descriptor may be reused for any file.
  func closed(_ descriptor: Int32) {
    reserve(descriptor)
    // Closing a socket removes its registration only if no other process has the same socket open.
    forget(descriptor)
    interests[Int(descriptor)] = Interest(isDirty: interests[Int(descriptor)].isDirty)
    // Pending events must not be attributed to another socket with the same descriptor.
    for index in unhandled where withUnsafePointer(to: pending[index], { faraday_epoll_descriptor($0) }) == descriptor {
      pending[index] = faraday_epoll_event(0, -1)
    }
  }

  func opened(_ descriptor: Int32) {
    reserve(descriptor)
    interests[Int(descriptor)] = Interest(isTracked: true, isDirty: interests[Int(descriptor)].isDirty)
  }

  /// Called when the descriptor's file was replaced, which has removed the registration.
  func replaced(_ descriptor: Int32) {
    reserve(descriptor)
    interests[Int(descriptor)].registered = 0
    if interests[Int(descriptor)].events != 0 { scheduleRegistration(descriptor) }
  }

  /// The socket may be unregistered, or registered for writing only: if a response is available as soon as the request is sent,
  /// libcurl never waits for reading.
  func becameIdle(_ descriptor: Int32) {
    reserve(descriptor)
    guard interests[Int(descriptor)].isTracked else { return }
    interests[Int(descriptor)].isIdle = true
    if interests[Int(descriptor)].registered & EPOLLIN.rawValue == 0 { scheduleRegistration(descriptor) }
  }

  func changed(_ descriptor: Int32, to what: Int32) {
    reserve(descriptor)
    var events: UInt32 = 0
    if what == CURL_POLL_IN || what == CURL_POLL_INOUT { events |= EPOLLIN.rawValue }
    if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { events |= EPOLLOUT.rawValue }
    let index = Int(descriptor)
    // A keep-alive connection was last watched for reading. libcurl before 8.2 closes a connecting socket without notice.
    let mayBeKept = interests[index].isTracked && interests[index].events & EPOLLOUT.rawValue == 0
    interests[index].events = events
    if events != 0 { interests[index].isIdle = false }
    if what == CURL_POLL_REMOVE && !mayBeKept {
      // libcurl closes such a socket next, and the descriptor may be reused.
      forget(descriptor)
    } else if events != 0 {
      scheduleRegistration(descriptor)
    }
  }

  private func scheduleRegistration(_ descriptor: Int32) {
    guard !interests[Int(descriptor)].isDirty else { return }
    interests[Int(descriptor)].isDirty = true
    dirty.append(descriptor)
  }

  func timer(in milliseconds: Int) {
    timer = milliseconds < 0 ? nil : Clock.now + Int64(milliseconds) * 1_000_000
  }

  private func reserve(_ descriptor: Int32) {
    while interests.count <= Int(descriptor) { interests.append(Interest()) }
  }

  // MARK: registration with the kernel

  private func register() {
    for descriptor in dirty {
      let index = Int(descriptor)
      interests[index].isDirty = false
      let events = interests[index].isIdle ? EPOLLIN.rawValue : interests[index].events
      guard events != 0, events != interests[index].registered || !interests[index].isTracked else { continue }
      var event = faraday_epoll_event(events, descriptor)
      // The descriptor may have been closed and reused without notice: if one of the two calls fails, the other succeeds.
      let isKnown = interests[index].registered != 0
      if epoll_ctl(epoll, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) != 0 {
        _ = epoll_ctl(epoll, isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
      }
      interests[index].registered = events
    }
    dirty.removeAll(keepingCapacity: true)
  }

  private func forget(_ descriptor: Int32) {
    guard interests[Int(descriptor)].registered != 0 else { return }
    interests[Int(descriptor)].registered = 0
    _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
  }
}
#endif
