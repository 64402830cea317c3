import FaradayCore
import FaradayCurl
import FaradayTesting
import TestSupport
import Testing

@Suite struct ConformanceTests {
  /// Without what takes seconds of processor time, but for a complete run.
  static let lanes = (0..<Lane.count).map { Lane($0, of: CurlAdapter()) { TestRun.isComplete || $0.group != "large bodies" } }

  @Test(.serialized, arguments: lanes[0].rules)
  func `libcurl keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[0].adapter)
  }

  @Test(.serialized, arguments: lanes[1].rules)
  func `libcurl keeps the contract, second lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[1].adapter)
  }

  @Test(.serialized, arguments: lanes[2].rules)
  func `libcurl keeps the contract, third lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[2].adapter)
  }

  @Test func `every rule is run, or needs a capability that this libcurl lacks`() {
    let capabilities = CurlAdapter().capabilities
    let lacking = AdapterConformance.all.filter { !capabilities.isSuperset(of: $0.needs) }
    #expect(AdapterConformance.cases(for: capabilities).count >= AdapterConformance.all.count - lacking.count)
    // For `Scripts/libcurls`.
    print("\(lacking.count) rules need a capability that this libcurl lacks")
  }
}

@Suite(.serialized, .enabled(if: TestRun.isComplete, "Scripts/check runs it")) struct TaskExecutorConformanceTests {
  static let adapter = CurlAdapter()

  @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
  func `libcurl keeps the contract with tasks on its thread`(rule: AdapterConformance.Case) async throws {
    try await withTaskExecutorPreference(Self.adapter.taskExecutor) { try await rule.run(over: Self.adapter) }
  }
}
