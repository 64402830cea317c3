import FaradayCore
import FaradayTesting
import FaradayURLSession
import Testing

@Suite(.serialized) struct ConformanceTests {
  static let adapter = URLSessionAdapter()

  @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
  func `URLSession keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }
}
