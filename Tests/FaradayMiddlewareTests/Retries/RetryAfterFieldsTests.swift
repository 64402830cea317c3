import Faraday
import FaradayTesting
import TestSupport
import Testing

/// A `Retry-After` that a server or a proxy repeats.
@Suite struct RetryAfterFieldsTests {
  private static let date = "Sun, 06 Nov 1994 08:49:47 GMT"

  private static let rules: [(values: [String], seconds: Int)] = [
    (["7", "7"], 7), (["7", "9", "8"], 9), (["soon", "7"], 7), ([date, date], 10), (["7", date], 10), (["12", date], 12),
    (["7", "99999999999999999999", "8"], .max),
  ]

  @Test(arguments: rules, TestedAdapter.allCases)
  func `equal Retry-After headers count as one, and the longest of several is used`(
    rule: (values: [String], seconds: Int), tested: TestedAdapter
  ) async throws {
    // An adapter that joins fields makes a date among others unreadable.
    guard tested == .curl || Set(rule.values).count == 1 || !rule.values.joined().contains(",") else { return }
    guard tested == .curl || !rule.values.contains("soon") else { return }
    let fields = HTTPFields(rule.values.map { HTTPField(name: .retryAfter, value: $0) })
    let server = try MockServer(.status(.serviceUnavailable, headers: fields), .status(.ok))
    let clock = ManualClock()
    // 1994-11-06 08:49:37 GMT.
    let retry = Retry(clock: InstantClock(clock), random: { 0 }, now: { 784_111_777 })
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry])
    let response = try await connection.get("/")
    #expect(response.status == (rule.seconds == .max ? .serviceUnavailable : .ok))
    #expect(clock.slept == (rule.seconds == .max ? [] : [.seconds(rule.seconds)]))
  }
}
