import FaradayCore
import FaradayCurl
import FaradayTesting
import TestSupport
import Testing

@Suite(.serialized) struct ConformanceTests {
  static let adapter = CurlAdapter()
  /// Without what takes seconds of processor time, but for a complete run.
  static let rules: [AdapterConformance.Case] = AdapterConformance.cases(for: adapter.capabilities).filter {
    TestRun.isComplete || $0.group != "large bodies"
  }

  @Test(arguments: rules)
  func `libcurl keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }
}

@Suite(.serialized, .enabled(if: TestRun.isComplete, "Scripts/check runs it")) struct TaskExecutorConformanceTests {
  static let adapter = CurlAdapter()

  @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
  func `libcurl keeps the contract with tasks on its thread`(rule: AdapterConformance.Case) async throws {
    try await withTaskExecutorPreference(Self.adapter.taskExecutor) { try await rule.run(over: Self.adapter) }
  }
}
