import Faraday
@testable import FaradayCore
@testable import FaradayMiddleware
import Foundation

extension Target {
  /// `Retry-After` is seconds, a date or nothing: a retry waits for as long as it says, not less and not more, and a time that is
  /// over the limit ends the retries.
  static let retryAfter = Target("retry-after") { input in
    let waits = Seen<Duration>()
    let attempts = Seen<Void>()
    let answering = Answering { request in
      attempts.append(())
      var response = Response(status: attempts.all.count > 1 ? .ok : .serviceUnavailable, url: request.url)
      response.headers[fields: .retryAfter] = [HTTPField(name: .retryAfter, lenientValue: input.bytes)]
      return response
    }
    let stack = Stack([Retry(clock: NotedClock(waits: waits), random: { 0 }, now: { now })], adapter: answering)
    let outcome = immediately { try await stack.send(Request(url: url)) }
    guard case .success(let response) = outcome else { fatalError("\(outcome)") }
    if let wait = wanted(by: input.bytes) {
      expectEqual(response.status.code, wait <= 60 ? 200 : 503, "the status after being told to wait for \(wait) seconds")
      expectEqual(waits.all, wait <= 60 ? [.seconds(wait)] : [], "the waits")
    } else {
      expectEqual(waits.all, [.zero], "the waits")
    }
  }

  private static let now: Int64 = 784_111_750
  private static let url = URL(filePath: "/")

  /// In seconds; nil where nothing is said that can be read.
  private static func wanted(by bytes: [UInt8]) -> Int64? {
    let value = HTTPField(name: .retryAfter, lenientValue: bytes).value
    // Several fields may come joined, and the longest of them counts.
    let numbers = value.split(separator: ",").map { String($0).withoutBlanks }
    if !numbers.isEmpty, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) {
      return numbers.map { Int64($0) ?? .max }.max()
    }
    return HTTPDate.parse(value).map { max(0, Int64($0.timeIntervalSince1970) - now) }
  }
}

/// A clock that notes what it is to sleep for, and does not.
private struct NotedClock: Clock {
  typealias Instant = ContinuousClock.Instant

  let waits: Seen<Duration>
  let now = ContinuousClock.now
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws { waits.append(now.duration(to: deadline)) }
}
