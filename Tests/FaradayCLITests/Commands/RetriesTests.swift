import Faraday
import FaradayTesting
import TestSupport
import Testing

@testable import FaradayCLI

/// The options `--retry…` as options of ``Faraday/Retry``.
@Suite struct RetriesTests {
  /// The outcome of an attempt.
  private enum Outcome: Sendable {
    case status(Int, retryAfter: String? = nil)
    case failure(Int32)
  }

  /// The delays and messages before each retry with these options, if all attempts end like this.
  private func retries(
    _ arguments: String..., after outcome: Outcome
  ) async throws -> (waits: [Duration], warnings: [String], attempts: Int) {
    let operation = try Fetch.reading(arguments + ["h"], readsDefault: false).operation
    let (adapter, clock, warnings) = (MockAdapter(), ManualClock(), Log<String>())
    adapter.stub { request in
      switch outcome {
      case .failure(let status): throw CommandFailure(status, "")
      case .status(let code, let retryAfter):
        var headers: HTTPFields = [:]
        headers[.retryAfter] = retryAfter
        let response = Response(status: .init(code: code), headers: headers, url: request.url)
        if operation.fails, code >= 400 { throw StatusError(response, to: request) }
        return response
      }
    }
    let retry = Retry(
      RetryRules(operation).policy { warnings.append($0) }, budget: RetryBudget(reserve: 99), clock: InstantClock(clock))
    var request = try Request(.post, "http://h/", body: "data")
    request.options.isRetryable = true
    _ = try? await Stack([retry], adapter: adapter).send(request)
    #expect(adapter.recorded.allSatisfy { $0.request.headers.isEmpty }, "no field is added")
    return (clock.slept, warnings.elements, adapter.recorded.count)
  }

  @Test func `the delay doubles from one second, and each retry is announced as in curl`() async throws {
    let all = try await retries("--retry", "2", after: .status(503))
    #expect(all.waits == [.seconds(1), .seconds(2)] && all.attempts == 3)
    #expect(
      all.warnings == [
        "Problem : HTTP error. Will retry in 1 seconds. 2 retries left.",
        "Problem : HTTP error. Will retry in 2 seconds. 1 retries left.",
      ])
    #expect(
      try await retries("--retry", "12", after: .status(500)).waits.suffix(3) == [.seconds(512), .seconds(600), .seconds(600)])
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func `transient statuses are retried, also with --fail`(_ status: Int) async throws {
    #expect(try await retries("--retry", "1", after: .status(status)).attempts == 2)
    #expect(try await retries("--retry", "1", after: .status(404)).attempts == 1)
    #expect(try await retries("--retry", "1", "-f", after: .status(status)).attempts == 2)
  }

  @Test func `a longer Retry-After is obeyed, unless it exceeds the maximum time`() async throws {
    func wait(_ retryAfter: String) async throws -> [Duration] {
      try await retries("--retry", "1", "--retry-delay", "3", after: .status(503, retryAfter: retryAfter)).waits
    }
    #expect(try await wait("7") == [.seconds(7)])
    #expect(try await wait("1") == [.seconds(3)])
    #expect(try await wait("x") == [.seconds(3)])
    #expect(try await retries("--retry", "9", "-f", after: .status(503, retryAfter: "7")).waits.first == .seconds(7))
    #expect(
      try await retries("--retry", "9", "--retry-max-time", "5", after: .status(503, retryAfter: "7")).waits.isEmpty)
  }

  @Test func `refused connections and other errors are retried only if requested`() async throws {
    #expect(try await retries("--retry", "1", after: .failure(7)).attempts == 1)
    #expect(try await retries("--retry", "1", after: .failure(28)).warnings.first?.hasPrefix("Problem : timeout. ") == true)
    #expect(try await retries("--retry", "1", "--retry-connrefused", after: .failure(7)).attempts == 2)
    #expect(try await retries("--retry", "1", "--retry-connrefused", after: .failure(52)).attempts == 1)
    let all = try await retries("--retry", "1", "--retry-all-errors", after: .failure(52))
    #expect(all.warnings.first?.hasPrefix("Problem (retrying all errors). ") == true)
  }
}
