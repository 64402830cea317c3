#if os(Linux)
internal import CCurl
private import Glibc

/// `curl_multi_socket_action` over level-triggered epoll: a turn costs what is active, not what there is.
///
/// Interest is changed lazily, once per turn. A socket that libcurl lets go of stays registered until an event arrives for
/// it, so that a request over a kept connection changes nothing.
final class EpollDriver: Driver {
  private struct Interest {
    var wanted: UInt32 = 0
    var registered: UInt32 = 0
    /// Opened and closed through our callbacks, which are told when the number is used again: what is registered can be
    /// believed.
    var isOurs = false
    var isDirty = false
  }

  private let multi: UnsafeMutableRawPointer
  private let waker: Waker
  private let sockets: Sockets
  private let epoll: Int32
  // As in `Sockets`.
  @exclusivity(unchecked) private var interests: [Interest] = []
  @exclusivity(unchecked) private var dirty: [Int32] = []
  private var timer: Int64?
  private var events = [epoll_event](repeating: epoll_event(), count: 256)
  /// Those of `events` that libcurl has not been told of.
  private var news = 0..<0

  /// Nil if the process has no descriptors left.
  init?(_ multi: UnsafeMutableRawPointer, waker: Waker, _ sockets: Sockets) {
    self.multi = multi
    self.waker = waker
    self.sockets = sockets
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { return nil }
    var event = faraday_epoll_event(EPOLLIN.rawValue, waker.readable)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, waker.readable, &event) == 0 else {
      close(epoll)
      return nil
    }
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

  var hasMore: Bool { !news.isEmpty }

  func wait(atMost limit: Int64, woke: () -> Int64) throws(MultiFailure) -> Bool {
    register()
    if news.isEmpty {
      let count = epoll_wait(epoll, &events, Int32(events.count), milliseconds(limit))
      news = 0..<max(0, Int(count))
    }
    let end = woke()
    let hasNews = !news.isEmpty
    while let index = news.popFirst() {
      let descriptor = withUnsafePointer(to: events[index]) { faraday_epoll_descriptor($0) }
      if descriptor == waker.readable {
        waker.drain()
      } else if descriptor >= 0 {
        try happened(events[index].events, on: descriptor)
      }
      if Clock.now >= end { break }
    }
    try act()
    return hasNews
  }

  private func happened(_ flags: UInt32, on descriptor: Int32) throws(MultiFailure) {
    guard interests[Int(descriptor)].wanted != 0 else { return isUnwanted(descriptor) }
    var mask: Int32 = 0
    if flags & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { mask |= CURL_CSELECT_IN }
    if flags & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
    if flags & EPOLLERR.rawValue != 0 { mask |= CURL_CSELECT_ERR }
    try act(on: descriptor, mask)
  }

  /// libcurl does not wait for this socket. Either its transfer is paused, or the connection is idle, and then nobody has asked for
  /// what has come, or it has ended. (What comes over an idle HTTP/2 connection belongs to the connection, and libcurl reads it.)
  private func isUnwanted(_ descriptor: Int32) {
    let isIdle = interests[Int(descriptor)].isOurs && !sockets.isUsed(descriptor)
    // What was there when the kernel told may have been the end of a response, and read meanwhile.
    if isIdle, faraday_has_news(descriptor) == 0 { return }
    forget(descriptor)
    guard isIdle else { return }
    if sockets.isHTTP2(descriptor) { sockets.hasDead = true } else { sockets.retire(descriptor) }
  }

  private func act(on descriptor: curl_socket_t, _ mask: Int32) throws(MultiFailure) {
    var running: Int32 = 0
    try MultiFailure.check(curl_multi_socket_action(multi, descriptor, mask, &running))
  }

  // libcurl before 8.4 rounds its timers down: waking exactly then finds nothing to do, and asks for another millisecond.
  private func milliseconds(_ limit: Int64) -> Int32 {
    var wait = limit
    if let timer {
      let left = timer - Clock.now
      wait = min(wait, left > 0 && !Library.Behaviour.roundsTimersUp ? left + 1_000_000 : left)
    }
    return Int32(clamping: max(0, (wait + 999_999) / 1_000_000))
  }

  // MARK: what libcurl tells

  /// libcurl has no more use for it, and the number may come back as anything.
  func closed(_ descriptor: Int32) {
    reserve(descriptor)
    // What was registered goes with the socket, unless another process has the same: the kernel would go on telling of it.
    forget(descriptor)
    interests[Int(descriptor)] = Interest(isDirty: interests[Int(descriptor)].isDirty)
    // What is still to be told of is not told of another socket with this number.
    for index in news where withUnsafePointer(to: events[index], { faraday_epoll_descriptor($0) }) == descriptor {
      events[index] = faraday_epoll_event(0, -1)
    }
  }

  func opened(_ descriptor: Int32) {
    reserve(descriptor)
    interests[Int(descriptor)] = Interest(isOurs: true, isDirty: interests[Int(descriptor)].isDirty)
  }

  /// What was registered has gone with the file that was there.
  func replaced(_ descriptor: Int32) {
    reserve(descriptor)
    interests[Int(descriptor)].registered = 0
    if interests[Int(descriptor)].wanted != 0 { isToBeRegistered(descriptor) }
  }

  func changed(_ descriptor: Int32, to what: Int32) {
    reserve(descriptor)
    var wanted: UInt32 = 0
    if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted |= EPOLLIN.rawValue }
    if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted |= EPOLLOUT.rawValue }
    let index = Int(descriptor)
    // A kept connection was read from last. One that was still connecting is closed without a word before 8.2.
    let mayBeKept = interests[index].isOurs && interests[index].wanted & EPOLLOUT.rawValue == 0
    interests[index].wanted = wanted
    if what == CURL_POLL_REMOVE && !mayBeKept {
      // libcurl closes these next, and the number may come back as another file.
      forget(descriptor)
    } else if wanted != 0 {
      isToBeRegistered(descriptor)
    }
  }

  private func isToBeRegistered(_ descriptor: Int32) {
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

  // MARK: what the kernel is told

  private func register() {
    for descriptor in dirty {
      let index = Int(descriptor)
      interests[index].isDirty = false
      let wanted = interests[index].wanted
      guard wanted != 0, wanted != interests[index].registered || !interests[index].isOurs else { continue }
      var event = faraday_epoll_event(wanted, descriptor)
      // The number may have been closed and opened again without a word: each of the two can find the other's case.
      let isKnown = interests[index].registered != 0
      if epoll_ctl(epoll, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) != 0 {
        _ = epoll_ctl(epoll, isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
      }
      interests[index].registered = wanted
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
