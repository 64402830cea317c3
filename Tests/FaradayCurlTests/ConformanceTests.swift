import FaradayCore
import FaradayCurl
import FaradayTesting
import TestSupport
import Testing

@Suite(.serialized) struct ConformanceTests {
  static let adapter = CurlAdapter()

  @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
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
