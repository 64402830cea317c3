import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Durations beyond the range of clocks, and negative ones.
@Suite struct DurationTests {
  private static let long = Duration.seconds(1e19)
  private static let negative = Duration.seconds(-1e19)

  @Test(arguments: TestedAdapter.allCases)
  func `a total timeout beyond the clock's range never expires, and a negative one has expired`(
    tested: TestedAdapter
  )
    async throws
  {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: tested.adapter)
    #expect(try await connection.get("hello", timeout: Self.long).status == .ok)
    for late in [Self.negative, .zero] {
      let errors = await withTaskGroup { group in
        for _ in 0..<100 {
          group.addTask { await #expect(throws: TransportError.self) { try await connection.get("hello", timeout: late) } }
        }
        return await group.reduce(into: [:]) { $0[$1?.code, default: 0] += 1 }
      }
      #expect(errors == [.totalTimeout: 100])
    }
    #expect(server.requestCount == 1)
  }

  @Test func `a Timeout beyond the clock's range never expires, and a negative one has expired`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let patient = try Connection("http://host/", adapter: mock, middleware: [.timeout(Self.long)])
    #expect(try await patient.get().status == .ok)
    for late in [Self.negative, .zero] {
      let hasty = try Connection("http://host/", adapter: mock, middleware: [.timeout(late)])
      for _ in 0..<100 { await #expect(throws: TimeoutError.self) { try await hasty.get() } }
    }
    #expect(mock.recorded.count == 1)
  }

  @Test func `a promise's timeout and delay accept any duration`() async throws {
    let never = Promise<Int> {
      try await Task.sleep(for: .seconds(3600))
      return 0
    }
    await #expect(throws: TimeoutError.self) { try await never.timeout(Self.negative).value }
    #expect(try await Promise(.success(1)).delay(Self.negative).timeout(Self.long).value == 1)
  }

  @Test func `a negative backoff is no delay`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .serviceUnavailable, url: $0.url) }
    let policy = Retry.Policy(retries: 100, initialDelay: .seconds(-1))
    let connection = try Connection(
      "http://host/", adapter: mock, middleware: [.retry(policy, budget: RetryBudget(ratio: 1, reserve: 1000))])
    #expect(try await connection.get().retries == 100)
  }
}
