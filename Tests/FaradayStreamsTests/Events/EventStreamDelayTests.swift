import Faraday
import FaradayTesting
import TestSupport
import Testing

@testable import FaradayStreams

/// When a stream is requested again, by a clock that takes no time.
@Suite struct EventStreamDelayTests {
  private let mock = MockAdapter()
  private let clock = ManualClock()

  /// Full jitter of one half, unless the test says otherwise.
  private func automatic(random: Double = 0.5) -> EventStream.Reconnection {
    var reconnection = EventStream.Reconnection.automatic(limit: 3, clock: InstantClock(clock))
    reconnection.random = { random }
    // 1994-11-06 08:49:37 GMT.
    reconnection.now = { 784_111_777 }
    return reconnection
  }

  private func events(
    _ reconnection: EventStream.Reconnection? = nil
  ) async throws -> (elements: [ServerSentEvent], error: (any Error)?) {
    await all(try Connection("http://host/", adapter: mock).events("stream", reconnects: reconnection ?? automatic()))
  }

  @Test func `the delay doubles up to its limit, and an event resets it`() async throws {
    for _ in 0..<7 { mock.stream(": nothing\n") }
    mock.stream("data: 1\n\n")
    mock.stream("id: 1\n\n")
    mock.status(204)
    _ = try await events(automatic(random: 1))
    #expect(clock.slept.map(\.components.seconds) == [1, 2, 4, 8, 16, 30, 30, 1, 2])
  }

  @Test func `the jitter is from nothing to all of it, and nonsense is all of it`() async throws {
    for (random, delay) in [(0.0, 0), (0.25, 250), (1, 1000), (.nan, 1000), (-1, 1000), (7, 1000), (.infinity, 1000)] {
      let clock = ManualClock()
      mock.stream("data: 1\n\n")
      mock.status(204)
      var reconnection = EventStream.Reconnection.automatic(clock: InstantClock(clock))
      reconnection.random = { random }
      _ = try await events(reconnection)
      #expect(clock.slept == [.milliseconds(delay)])
    }
  }

  @Test func `the server's retry time is waited for exactly, but no server is asked again and again at once`() async throws {
    mock.stream("retry: 1500\ndata: 1\n\n")
    mock.stream("data: 2\n\nretry: 0\n")
    mock.stream(": nothing\n")
    mock.stream("data: 3\n\n")
    mock.status(204)
    _ = try await events(automatic(random: 1))
    #expect(clock.slept == [.milliseconds(1500), .milliseconds(100), .seconds(2), .milliseconds(100)])
  }

  @Test func `a retry time of nothing, or of ages, is brought within bounds, which are the caller's`() async throws {
    for _ in 0..<3 { mock.stream("retry: 0\ndata: 1\n\n") }
    mock.stream("retry: 1000000000000000\ndata: 1\n\n")
    mock.status(204)
    _ = try await events(automatic(random: 0))
    #expect(clock.slept == [.milliseconds(100), .milliseconds(100), .milliseconds(100), .seconds(3600)])
  }

  @Test func `the server's retry time is the least after attempts that have failed`() async throws {
    mock.fail(.connectionFailed)
    mock.stream("retry: 3000\ndata: 1\n\n")
    mock.fail(.connectionFailed)
    mock.status(503)
    mock.status(204)
    _ = try await events(automatic(random: 1))
    #expect(clock.slept.map(\.components.seconds) == [1, 3, 3, 4])
  }

  @Test func `delays that no clock has are no trap`() async throws {
    mock.stream("retry: 99999999999999999999999999999\ndata: 1\n\n")
    mock.status(503, headers: [.retryAfter: "999999999999999999999999"])
    var reconnection = automatic()
    reconnection.initialDelay = .seconds(Int64.max)
    reconnection.maximumDelay = .seconds(Int64.max)
    reconnection.maximumRetryAfter = .seconds(Int64.max)
    #expect(
      reconnection.delay(reconnections: .max, retry: .seconds(Int64.max), retryAfter: .seconds(Int64.max))
        > .seconds(3_000_000_000))
    reconnection.initialDelay = .seconds(Int64.min)
    reconnection.maximumDelay = .seconds(-1)
    #expect(reconnection.delay(reconnections: 3, retry: nil, retryAfter: nil) == .zero)
    #expect(reconnection.delay(reconnections: .min, retry: .seconds(-5), retryAfter: .seconds(-5)) == .milliseconds(100))
    mock.status(204)
    #expect(try await events(reconnection).error == nil)
  }

  @Test func `Retry-After is the least, in seconds and as a date, and one that is too long ends it`() async throws {
    mock.status(503, headers: [.retryAfter: "7"])
    mock.status(429, headers: [.retryAfter: "Sun, 06 Nov 1994 08:49:47 GMT"])
    mock.status(503, headers: [.retryAfter: "soon"])
    mock.status(204)
    #expect(try await events(automatic(random: 0)).error == nil)
    #expect(clock.slept == [.seconds(7), .seconds(10), .zero])
    mock.status(503, headers: [.retryAfter: "301"])
    #expect((try await events().error as? UnexpectedStatus)?.status == .serviceUnavailable)
  }
}
