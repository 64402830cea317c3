import FaradayTesting
import Testing

@Suite struct EchoConformanceTests {
  static let adapter = EchoAdapter()
  static let rules = AdapterConformance.cases(for: adapter.capabilities).filter { $0.group == "refusals" }

  @Test(arguments: rules)
  func `the echo keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }
}
