import FaradayCore
import FaradayTesting
import FaradayURLSession
import TestSupport
import Testing

@Suite(.serialized) struct ConformanceTests {
  static let adapter = URLSessionAdapter()
  /// Without what takes seconds of processor time, but for a complete run.
  static let rules: [AdapterConformance.Case] = AdapterConformance.cases(for: adapter.capabilities).filter {
    TestRun.isComplete || $0.name != "a head without end"
  }

  @Test(arguments: rules)
  func `URLSession keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }
}
