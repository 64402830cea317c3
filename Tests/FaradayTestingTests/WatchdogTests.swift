#if os(Linux)
import FaradayTesting
import FoundationEssentials
import TestServers
import Testing

@Suite struct WatchdogTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["FARADAY_HANG"] != nil, "the other test runs it in another process"))
  func `a test that waits for ever`() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  @Test func `a process with hanging tests ends and prints their names`() async throws {
    let script = """
      FARADAY_HANG=1 FARADAY_TEST_LIMIT=1 exec "$0" --testing-library swift-testing --filter 'WatchdogTests/.*for ever' 2>&1
      """
    let process = try ChildProcess("/bin/sh", ["-c", script, CommandLine.arguments[0]])
    var output: [UInt8] = []
    while case let piece = await process.next(), !piece.isEmpty { output += piece }
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("these run:\n  FaradayTestingTests.WatchdogTests/`a test that waits for ever`()"), "\(text)")
    // A signal ended it.
    #expect(await process.ended() == -1)
  }
}
#endif
