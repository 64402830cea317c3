import Faraday
import FaradayTesting
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct PlacesTests {
  @Test func `a full queue readmits a request that had a slot, and no other`() async throws {
    let places = Places(maximumWaiting: 1, clock: ManualClock())
    let place = try await places.take("a", limit: 1, priority: .normal, number: places.number(), maximumWait: nil)
    let first = Task { try await places.take("a", limit: 1, priority: .normal, number: 2, maximumWait: nil) }
    await until { places.waitingCount == 1 }
    await #expect(throws: Places.Refusal.self) {
      try await places.take("a", limit: 1, priority: .normal, number: 3, maximumWait: nil)
    }
    let back = Task { try await places.take("a", limit: 1, priority: .normal, number: 1, maximumWait: nil, isBack: true) }
    await until { places.waitingCount == 2 }
    place.giveBack()
    try await back.value.giveBack()
    try await first.value.giveBack()
    #expect(places.keyCount == 0)
  }
}
