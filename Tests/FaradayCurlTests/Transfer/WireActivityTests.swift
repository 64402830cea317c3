import FaradayCore
@testable import FaradayCurl
import Testing

/// The idle timeout by a clock of the test: when it fires, and how often the kernel's count is read.
@Suite struct WireActivityTests {
  private let limit: Int64 = 1000

  /// When the timeout fires for a connection with bytes that libcurl does not report at these times.
  ///
  /// - Parameter connectedAt: when there is a connection. The request's own bytes move then.
  private func firing(moves: [Int64] = [], connectedAt: Int64 = 0) -> (time: Int64, checks: Int) {
    var wire = WireActivity()
    var checks = 0
    while checks < 1000 {
      let now = wire.nextCheck(lastActivity: 0, limit: limit)
      checks += 1
      wire.checked(now < connectedAt ? nil : Int64(100 + moves.count { $0 <= now }), at: now)
      if wire.idleSince(lastActivity: 0) + limit <= now { return (now, checks) }
    }
    return (.max, checks)
  }

  @Test(arguments: [0, 1, 249, 250, 251, 999] as [Int64])
  func `the idle timeout fires at most a quarter late after the request was sent`(connectedAt: Int64) {
    let time = firing(connectedAt: connectedAt).time
    #expect(time >= connectedAt + limit && time <= connectedAt + limit * 5 / 4)
  }

  @Test(arguments: Array(stride(from: 1 as Int64, to: 3000, by: 37)))
  func `the idle timeout fires at most a quarter late after the last byte`(last: Int64) {
    let moves = Array(stride(from: last % 600, through: last, by: 600)) + [last]
    let time = firing(moves: moves).time
    #expect(time >= last + limit && time <= max(last, 0) + limit * 5 / 4)
  }

  @Test func `bytes that libcurl reports delay the next check by a quarter of the limit`() {
    let wire = WireActivity()
    #expect(wire.nextCheck(lastActivity: 4000, limit: limit) == 4250)
    #expect(wire.nextCheck(lastActivity: 4000, limit: 2) == 4001)
    #expect(firing().checks <= 6)
  }

  @Test func `an unchanged byte count is not activity`() {
    var wire = WireActivity()
    wire.checked(77, at: 10)
    wire.checked(77, at: 20)
    #expect(wire.idleSince(lastActivity: 15) == 15)
    wire.checked(78, at: 30)
    #expect(wire.idleSince(lastActivity: 15) == 30)
  }

  @Test func `the queue timeout counts from the entry into the queue, and not the time before it`() {
    var activity = Activity(submitted: 0)
    activity.enterQueue(at: 1_000_000)
    let timeouts = Timeouts(queue: .microseconds(5))
    #expect(activity.queueDeadline(timeouts) == 1_005_000)
    #expect(
      !activity.hasQueueExpired(.microseconds(5), at: 1_004_999) && activity.hasQueueExpired(.microseconds(5), at: 1_005_000))
  }
}
