import Faraday
import Testing

@testable import FaradayCLI

@Suite struct TimingTableTests {
  @Test func `a bar shows each phase in proportion`() {
    let metrics = TransferMetrics(
      queue: .zero, resolve: .milliseconds(25), connect: .milliseconds(50), firstByte: .milliseconds(75),
      total: .milliseconds(100))
    let expected = """
      phase             until       took
      queue          0.000 ms   0.000 ms
      name lookup   25.000 ms  25.000 ms
      connect       50.000 ms  25.000 ms
      first byte    75.000 ms  25.000 ms
      total        100.000 ms  25.000 ms

      """
    #expect(TimingTable(metrics).text == expected)
  }

  @Test func `zero, missing or unordered times have no bar or a short one`() {
    #expect(TimingTable(TransferMetrics(total: .zero)).text == "phase     until      took\ntotal  0.000 ms  0.000 ms\n")
    let odd = TransferMetrics(connect: .milliseconds(90), firstByte: .milliseconds(10), total: .milliseconds(100))
    let lines = TimingTable(odd).text.split(separator: "\n").map { $0.split(separator: " ").suffix(2).joined(separator: " ") }
    #expect(lines == ["until took", "90.000 ms", "0.000 ms", "10.000 ms"])
  }
}
