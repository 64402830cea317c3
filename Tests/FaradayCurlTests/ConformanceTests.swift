@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import TestServers
import TestSupport
import Testing

@Suite struct ConformanceTests {
  /// Rules that take seconds of processor time are left out, except in a complete run.
  static let lanes = (0..<Lane.count).map { Lane($0, of: CurlAdapter()) { TestRun.isComplete || $0.group != "large bodies" } }

  @Test(.serialized, arguments: lanes[0].rules)
  func `CurlAdapter keeps the conformance rules`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[0].adapter)
  }

  @Test(.serialized, arguments: lanes[1].rules)
  func `CurlAdapter keeps the conformance rules, second lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[1].adapter)
  }

  @Test(.serialized, arguments: lanes[2].rules)
  func `CurlAdapter keeps the conformance rules, third lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[2].adapter)
  }

  @Test func `every rule runs, or needs a capability that this libcurl lacks`() {
    let capabilities = CurlAdapter().capabilities
    let all = AdapterConformance.all + AdapterConformance.withServers
    let lacking = all.filter { !capabilities.contains($0.needs) }
    #expect(AdapterConformance.casesWithServers(for: capabilities).count >= all.count - lacking.count)
    // For `Scripts/libcurls`.
    print("\(lacking.count) rules need a capability that this libcurl lacks")
  }
}

@Suite(.serialized, .enabled(if: TestRun.isComplete, "Scripts/check runs it")) struct TaskExecutorConformanceTests {
  static let adapter = CurlAdapter()

  @Test(arguments: AdapterConformance.casesWithServers(for: adapter.capabilities))
  func `CurlAdapter keeps the conformance rules with tasks on its executor`(rule: AdapterConformance.Case) async throws {
    try await withTaskExecutorPreference(Self.adapter.taskExecutor) { try await rule.run(over: Self.adapter) }
  }
}
