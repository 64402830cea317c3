import Faraday
import FaradayTesting
import TestSupport
import Testing

@testable import FaradayStreams

/// When a stream is requested again, by a clock that takes no time.
@Suite struct EventStreamDelayTests {
  private let mock = MockAdapter()
  private let clock = ManualClock()

  /// Full jitter of one half, unless a test differs.
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

  @Test func `the jitter is clamped between none and full, and invalid means full`() async throws {
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

  @Test func `the server's retry time is used exactly, with a minimum for repeated attempts`() async throws {
    mock.stream("retry: 1500\ndata: 1\n\n")
    mock.stream("data: 2\n\nretry: 0\n")
    mock.stream(": nothing\n")
    mock.stream("data: 3\n\n")
    mock.status(204)
    _ = try await events(automatic(random: 1))
    #expect(clock.slept == [.milliseconds(1500), .milliseconds(100), .seconds(2), .milliseconds(100)])
  }

  @Test func `a retry time of zero or very long is clamped to the caller's bounds`() async throws {
    for _ in 0..<3 { mock.stream("retry: 0\ndata: 1\n\n") }
    mock.stream("retry: 1000000000000000\ndata: 1\n\n")
    mock.status(204)
    _ = try await events(automatic(random: 0))
    #expect(clock.slept == [.milliseconds(100), .milliseconds(100), .milliseconds(100), .seconds(3600)])
  }

  @Test func `after failed attempts the server's retry time is the minimum`() async throws {
    mock.fail(.connectionFailed)
    mock.stream("retry: 3000\ndata: 1\n\n")
    mock.fail(.connectionFailed)
    mock.status(503)
    mock.status(204)
    _ = try await events(automatic(random: 1))
    #expect(clock.slept.map(\.components.seconds) == [1, 3, 3, 4])
  }

  @Test func `delays beyond the clock's range do not trap`() async throws {
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

  @Test func `Retry-After is the minimum, in seconds or as a date, and a too long one ends the stream`() async throws {
    mock.status(503, headers: [.retryAfter: "7"])
    mock.status(429, headers: [.retryAfter: "Sun, 06 Nov 1994 08:49:47 GMT"])
    mock.status(503, headers: [.retryAfter: "soon"])
    mock.status(204)
    #expect(try await events(automatic(random: 0)).error == nil)
    #expect(clock.slept == [.seconds(7), .seconds(10), .zero])
    mock.status(503, headers: [.retryAfter: "301"])
    #expect((try await events().error as? StatusError)?.status == .serviceUnavailable)
  }
}
