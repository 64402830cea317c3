@_spi(Adapters) import FaradayCore
import FaradayTesting
import FaradayURLSession
import TestSupport
import Testing

@Suite struct ConformanceTests {
  static let endlessHead = "an endless head is rejected"
  static let lanes = (0..<Lane.count).map { Lane($0, of: URLSessionAdapter()) { $0.name != endlessHead } }

  @Test(.serialized, arguments: lanes[0].rules)
  func `URLSessionAdapter keeps the conformance rules`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[0].adapter)
  }

  @Test(.serialized, arguments: lanes[1].rules)
  func `URLSessionAdapter keeps the conformance rules, second lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[1].adapter)
  }

  @Test(.serialized, arguments: lanes[2].rules)
  func `URLSessionAdapter keeps the conformance rules, third lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[2].adapter)
  }

  /// In a process of its own: Foundation on Linux takes many seconds for this head, and meanwhile serves no other session of the
  /// process.
  @Test(.enabled(if: TestRun.isComplete, "Scripts/check runs it"))
  func `URLSessionAdapter rejects an endless head`() async {
    await #expect(processExitsWith: .success) {
      let adapter = URLSessionAdapter()
      let rule = AdapterConformance.cases(for: adapter.capabilities).first { $0.name == ConformanceTests.endlessHead }
      try await #require(rule).run(over: adapter)
    }
  }
}
