#if os(Linux)
import CCurl
@testable import FaradayCurl
import Glibc
import Testing

/// A number that libcurl has closed comes back as another file. Here another file is put in its place, which does to the
/// kernel's registration what closing and opening would.
@Suite struct EpollDriverTests {
  @Test(arguments: [CURL_POLL_IN, CURL_POLL_OUT])
  func `a descriptor number that is closed and reused is registered again`(interest: Int32) throws {
    let multi = try #require(curl_multi_init())
    defer { curl_multi_cleanup(multi) }
    let waker = try #require(Waker())
    let driver = try #require(EpollDriver(multi, waker: waker, Sockets()))
    let (ours, theirs) = try pair()
    defer { for end in [ours, theirs] { close(end) } }
    driver.opened(ours)
    driver.changed(ours, to: interest)
    _ = try driver.wait(atMost: 0, woke: { .max })
    driver.changed(ours, to: CURL_POLL_REMOVE)
    // A connection that was still connecting is closed silently.
    if interest == CURL_POLL_IN { driver.closed(ours) }

    let (another, peer) = try pair()
    defer { close(peer) }
    dup2(another, ours)
    close(another)
    driver.changed(ours, to: interest)
    write(peer, "x", 1)
    #expect(try driver.wait(atMost: 0, woke: { .max }))
    driver.changed(ours, to: CURL_POLL_REMOVE)
    withExtendedLifetime(driver) {}
  }

  /// Newer libcurl sends a close_notify and waits for the answer, even on an ended connection.
  @Test(arguments: [true, false])
  func `an idle connection that ended is reported, and no longer after it is closed`(isRegistered: Bool) throws {
    let multi = try #require(curl_multi_init())
    defer { curl_multi_cleanup(multi) }
    let waker = try #require(Waker())
    let sockets = Sockets()
    let driver = try #require(EpollDriver(multi, waker: waker, sockets))
    sockets.driver = driver
    let (ours, theirs) = try pair()
    defer { close(theirs) }
    sockets.opened(ours)
    if isRegistered {
      driver.changed(ours, to: CURL_POLL_IN)
      #expect(try !driver.wait(atMost: 0, woke: { .max }))
    }
    sockets.retire(ours)
    driver.changed(ours, to: CURL_POLL_IN)
    #expect(try driver.wait(atMost: 0, woke: { .max }))
    driver.changed(ours, to: CURL_POLL_REMOVE)
    sockets.closed(ours)
    close(ours)
    #expect(try !driver.wait(atMost: 0, woke: { .max }))
    withExtendedLifetime(driver) {}
  }

  /// A response that is there as soon as the request is sent is read without waiting: libcurl never asks for it.
  @Test(arguments: [nil, CURL_POLL_OUT, CURL_POLL_INOUT, CURL_POLL_IN])
  func `a connection that becomes idle is watched whatever libcurl waited for last`(interest: Int32?) throws {
    let multi = try #require(curl_multi_init())
    defer { curl_multi_cleanup(multi) }
    let waker = try #require(Waker())
    let sockets = Sockets()
    let driver = try #require(EpollDriver(multi, waker: waker, sockets))
    let (ours, theirs) = try pair()
    defer { for end in [ours, theirs] { close(end) } }
    sockets.driver = driver
    sockets.opened(ours)
    if let interest {
      driver.changed(ours, to: interest)
      _ = try driver.wait(atMost: 0, woke: { .max })
      driver.changed(ours, to: CURL_POLL_REMOVE)
    }
    driver.becameIdle(ours)
    #expect(try !driver.wait(atMost: 0, woke: { .max }))
    #expect(!sockets.takeDeadConnections())
    write(theirs, "x", 1)
    #expect(try driver.wait(atMost: 0, woke: { .max }))
    #expect(sockets.takeDeadConnections())
    withExtendedLifetime(driver) {}
  }

  @Test func `bytes that were read in time do not end an idle connection, and later bytes do`() throws {
    let multi = try #require(curl_multi_init())
    defer { curl_multi_cleanup(multi) }
    let waker = try #require(Waker())
    let sockets = Sockets()
    let driver = try #require(EpollDriver(multi, waker: waker, sockets))
    let (ours, theirs) = try pair()
    defer { for end in [ours, theirs] { close(end) } }
    sockets.driver = driver
    sockets.opened(ours)
    driver.changed(ours, to: CURL_POLL_IN)
    write(theirs, "x", 1)
    _ = try driver.wait(atMost: 0) {
      var byte: UInt8 = 0
      read(ours, &byte, 1)
      driver.changed(ours, to: CURL_POLL_REMOVE)
      return .max
    }
    #expect(!sockets.takeDeadConnections())
    write(theirs, "x", 1)
    _ = try driver.wait(atMost: 0, woke: { .max })
    #expect(sockets.takeDeadConnections())
    withExtendedLifetime(driver) {}
  }

  @Test func `unhandled events are kept for the next turn, except for descriptors closed meanwhile`() throws {
    let multi = try #require(curl_multi_init())
    defer { curl_multi_cleanup(multi) }
    let waker = try #require(Waker())
    let sockets = Sockets()
    let driver = try #require(EpollDriver(multi, waker: waker, sockets))
    sockets.driver = driver
    let pairs = [try pair(), try pair(), try pair()]
    defer { for (ours, theirs) in pairs { for end in [ours, theirs] { close(end) } } }
    // A reported idle connection is closed.
    for (ours, _) in pairs {
      sockets.opened(ours)
      driver.changed(ours, to: CURL_POLL_IN)
      _ = try driver.wait(atMost: 0, woke: { .max })
      driver.changed(ours, to: CURL_POLL_REMOVE)
    }
    for (_, theirs) in pairs { write(theirs, "x", 1) }
    func hasEnded(_ ours: Int32) -> Bool {
      var byte: UInt8 = 0
      return recv(ours, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }
    // Each turn has no time left: one event is reported.
    #expect(try driver.wait(atMost: 0, woke: { 0 }))
    #expect(driver.hasPendingEvents)
    #expect(pairs.filter { hasEnded($0.0) }.count == 1)
    let left = try #require(pairs.first { !hasEnded($0.0) }).0
    // Closed, and opened as another that is idle and clean: the old one's news is not its own.
    sockets.closed(left)
    sockets.opened(left)
    while driver.hasPendingEvents { _ = try driver.wait(atMost: 0, woke: { 0 }) }
    #expect(!hasEnded(left))
    #expect(pairs.filter { hasEnded($0.0) }.count == 2)
    withExtendedLifetime(driver) {}
  }

  private func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }
}
#endif
