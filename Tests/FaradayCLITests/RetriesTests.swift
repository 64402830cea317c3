import Faraday
import Testing

@testable import FaradayCLI

@Suite struct RetriesTests {
  private func report(_ status: Int, retryAfter: String? = nil, failure: CommandFailure? = nil) throws -> Report {
    let request = try Request(.get, "http://h/")
    var report = Report(request)
    var headers: HTTPFields = [:]
    headers[.retryAfter] = retryAfter
    report.response = Response(status: .init(code: status), headers: headers, url: request.url)
    report.failure = failure
    return report
  }

  private func retries(_ arguments: String...) throws -> Retries {
    Retries(try Fetch.reading(arguments + ["h"], readsDefault: false).operation)
  }

  @Test func `the delay doubles from one second, and each retry is announced as curl does`() throws {
    var retries = try retries("--retry", "2")
    let first = try #require(retries.next(after: try report(503)))
    #expect(first.delay == .seconds(1))
    #expect(first.warning == "Problem : HTTP error. Will retry in 1 seconds. 2 retries left.")
    #expect(retries.next(after: try report(500))?.delay == .seconds(2))
    #expect(retries.next(after: try report(503)) == nil)
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func `transient statuses are retried, with fail too`(_ status: Int) throws {
    var retries = try retries("--retry", "9")
    #expect(retries.next(after: try report(status)) != nil)
    #expect(retries.next(after: try report(404)) == nil)
    var failing = try self.retries("--retry", "9", "-f")
    #expect(failing.next(after: try report(status, failure: CommandFailure(22, ""))) != nil)
  }

  @Test func `a longer Retry-After is waited for, unless it is beyond the maximum time`() throws {
    var retries = try retries("--retry", "9", "--retry-delay", "3")
    #expect(retries.next(after: try report(503, retryAfter: "7"))?.delay == .seconds(7))
    #expect(retries.next(after: try report(503, retryAfter: "1"))?.delay == .seconds(3))
    #expect(retries.next(after: try report(503, retryAfter: "x"))?.delay == .seconds(3))
    var limited = try self.retries("--retry", "9", "--retry-max-time", "5")
    #expect(limited.next(after: try report(503, retryAfter: "7")) == nil)
  }

  @Test func `refused connections and other errors are retried only if that is asked for`() throws {
    let refused = CommandFailure(7, "")
    let broken = CommandFailure(52, "")
    var plain = try retries("--retry", "9")
    #expect(plain.next(after: try report(0, failure: refused)) == nil)
    #expect(plain.next(after: try report(0, failure: CommandFailure(28, "")))?.warning.hasPrefix("Problem : timeout. ") == true)
    var more = try retries("--retry", "9", "--retry-connrefused")
    #expect(more.next(after: try report(0, failure: refused)) != nil)
    #expect(more.next(after: try report(0, failure: broken)) == nil)
    var all = try retries("--retry", "9", "--retry-all-errors")
    #expect(all.next(after: try report(0, failure: broken))?.warning.hasPrefix("Problem (retrying all errors). ") == true)
  }
}
