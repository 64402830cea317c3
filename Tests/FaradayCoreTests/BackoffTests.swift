import Testing

@testable import FaradayCore

@Suite struct BackoffTests {
  private let backoff = Backoff(initial: .seconds(1), maximum: .seconds(10))

  @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (Int.max, 10), (0, 1), (Int.min, 1)])
  func `the upper bound doubles up to the maximum`(number: Int, seconds: Int) {
    #expect(backoff.bound(ofRetry: number) == .seconds(seconds))
  }

  @Test(arguments: [(0.0, 0), (0.5, 2000), (1, 4000), (2, 4000), (-1, 4000), (.nan, 4000)])
  func `jitter is a fraction of the upper bound`(random: Double, milliseconds: Int) {
    #expect(backoff.delay(beforeRetry: 3, random: random) == .milliseconds(milliseconds))
  }

  @Test func `Retry-After is the minimum, and jitter of at most the initial delay is added to it`() {
    #expect(backoff.delay(beforeRetry: 1, random: 0.5, retryAfter: .seconds(7)) == .milliseconds(7500))
    #expect(backoff.delay(beforeRetry: 4, random: 0.5, retryAfter: .seconds(7)) == .seconds(8))
    #expect(backoff.delay(beforeRetry: 4, random: 1, retryAfter: .seconds(1)) == .seconds(8))
    #expect(backoff.delay(beforeRetry: 4, random: 0, retryAfter: .seconds(60)) == .seconds(60))
    #expect(backoff.delay(beforeRetry: 1, random: 0, retryAfter: .seconds(-1)) == .zero)
  }

  @Test(arguments: [(1.5, 1500), (1, 1000), (0.5, 1000), (-2, 1000), (.nan, 1000)])
  func `a growth below 1 counts as 1`(growth: Double, milliseconds: Int) {
    let backoff = Backoff(initial: .seconds(1), maximum: .seconds(10), growth: growth)
    #expect(backoff.bound(ofRetry: 2) == .milliseconds(milliseconds))
  }

  @Test func `durations are clamped between zero and the maximum`() {
    #expect(Backoff(initial: .seconds(60), maximum: .seconds(20)).bound(ofRetry: 1) == .seconds(20))
    #expect(Backoff(initial: .seconds(-1), maximum: .seconds(20)).bound(ofRetry: 9) == .zero)
    let longest = Backoff(initial: .seconds(Int64.max), maximum: .seconds(Int64.max))
    #expect(longest.delay(beforeRetry: 9, random: 1, retryAfter: .seconds(Int64.max)) == Duration.seconds(Int64.max).withinClocks)
  }
}
