import Faraday
import FaradayTesting
import TestSupport

/// A suite whose retries go to a mock, and wait by a clock that takes no time.
protocol MockedRetries {
  var mock: MockAdapter { get }
  var clock: ManualClock { get }
}

extension MockedRetries {
  func retry(_ policy: Retry.Policy = Retry.Policy()) -> Retry {
    Retry(policy, clock: InstantClock(clock), random: { 1 }, now: { 0 })
  }

  func connection(_ policy: Retry.Policy = Retry.Policy()) throws -> Connection {
    try Connection("http://host/", adapter: mock, middleware: [retry(policy)])
  }

  /// Responds to the first requests with the closure's result, and to the rest with 200.
  func stub(times: Int = 1, _ make: @escaping @Sendable (Request) throws -> Response) {
    mock.stub(times: times, respond: { try make($0) })
    mock.stub { _ in
      true
    } respond: { request in
      Response(status: .ok, url: request.url)
    }
  }
}
