import FaradayCore
import FaradayTesting
import FaradayURLSession
import TestSupport
import Testing

@Suite struct ConformanceTests {
  /// Without what takes seconds of processor time, but for a complete run.
  static let lanes = (0..<Lane.count).map {
    Lane($0, of: URLSessionAdapter()) { TestRun.isComplete || $0.name != "a head without end" }
  }

  @Test(.serialized, arguments: lanes[0].rules)
  func `URLSession keeps the contract`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[0].adapter)
  }

  @Test(.serialized, arguments: lanes[1].rules)
  func `URLSession keeps the contract, second lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[1].adapter)
  }

  @Test(.serialized, arguments: lanes[2].rules)
  func `URLSession keeps the contract, third lane`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.lanes[2].adapter)
  }
}
