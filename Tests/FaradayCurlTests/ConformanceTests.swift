@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Glibc
import Synchronization
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

  @Test func `two transfers with slow callbacks take turns`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: CurlAdapter())
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let count = Mutex(0)
          _ = try await connection.get("bytes/1000000") {
            $0.options.onChunk = { bytes in
              // Longer than a turn of the engine: the other transfer is paused again at once when it is resumed.
              usleep(2000)
              count.withLock { $0 += bytes.byteCount }
              return .continue
            }
          }
          return count.withLock { $0 }
        }
      }
      for try await count in group { #expect(count == 1_000_000) }
    }
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

@Suite(.enabled(if: TestRun.isComplete, "Scripts/check runs it")) struct TaskExecutorConformanceTests {
  static let adapters = (0..<Lane.count).map { _ in CurlAdapter() }
  static let lanes = adapters.indices.map { Lane($0, of: adapters[$0]) }

  @Test(.serialized, arguments: lanes[0].rules)
  func `CurlAdapter keeps the conformance rules with tasks on its executor`(rule: AdapterConformance.Case) async throws {
    try await Self.run(rule, over: Self.adapters[0])
  }

  @Test(.serialized, arguments: lanes[1].rules)
  func `CurlAdapter keeps the conformance rules with tasks on its executor, second lane`(
    rule: AdapterConformance.Case
  ) async throws {
    try await Self.run(rule, over: Self.adapters[1])
  }

  @Test(.serialized, arguments: lanes[2].rules)
  func `CurlAdapter keeps the conformance rules with tasks on its executor, third lane`(
    rule: AdapterConformance.Case
  ) async throws {
    try await Self.run(rule, over: Self.adapters[2])
  }

  private static func run(_ rule: AdapterConformance.Case, over adapter: CurlAdapter) async throws {
    try await withTaskExecutorPreference(adapter.taskExecutor) { try await rule.run(over: adapter) }
  }
}
