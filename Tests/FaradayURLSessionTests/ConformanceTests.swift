@_spi(Adapters) import FaradayCore
import FaradayTesting
import FaradayURLSession
import TestSupport
import Testing

@Suite struct ConformanceTests {
  /// Rules that take seconds of processor time are left out, except in a complete run.
  static let lanes = (0..<Lane.count).map {
    Lane($0, of: URLSessionAdapter()) { TestRun.isComplete || $0.name != "an endless head is rejected" }
  }

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
}
