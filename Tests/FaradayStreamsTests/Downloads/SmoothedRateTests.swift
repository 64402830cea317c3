import Testing

@testable import FaradayStreams

@Suite struct SmoothedRateTests {
  @Test func `the rate is the average at first, then changes slowly`() {
    var rate = SmoothedRate()
    rate.add(0, at: 0)
    #expect(rate.bytesPerSecond == 0)
    #expect(rate.average == 0)
    rate.add(100, at: 1)
    #expect(rate.bytesPerSecond == 100)
    rate.add(1100, at: 2)
    #expect(rate.bytesPerSecond > 100 && rate.bytesPerSecond < 1000)
    #expect(rate.average == 550)
  }

  @Test func `pieces within 50 milliseconds do not change the rate`() {
    var rate = SmoothedRate()
    rate.add(0, at: 0)
    rate.add(1 << 20, at: 0.000_001)
    #expect(rate.bytesPerSecond == 0)
  }

  @Test func `a transfer that starts again changes neither the rate nor the average`() {
    var rate = SmoothedRate()
    rate.add(0, at: 0)
    rate.add(1000, at: 1)
    rate.add(0, at: 1.1)
    #expect(rate.bytesPerSecond == 1000)
    rate.add(1000, at: 2)
    #expect(rate.bytesPerSecond > 1000 && rate.average == 1000)
  }
}
