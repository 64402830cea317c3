package import FaradayTesting

/// A clock on which every sleep is over at once; the manual one keeps how long it was meant to be.
package struct InstantClock: Clock {
  private let manual: ManualClock

  package init(_ manual: ManualClock) { self.manual = manual }

  package var now: ManualClock.Instant { manual.now }
  package var minimumResolution: Duration { manual.minimumResolution }

  package func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    let manual = manual
    async let slept: Void = manual.sleep(until: deadline)
    let missing = manual.now.duration(to: deadline)
    if missing > .zero {
      await manual.sleepers(1)
      manual.advance(by: missing)
    }
    try await slept
  }
}
