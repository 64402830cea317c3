import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

@Suite(.serialized) struct ConformanceTests {
  static let adapter = CurlAdapter()

  @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
  func `libcurl keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }
}
