@testable import FaradayTesting
import Foundation
import Testing

@Suite struct NginxServerTests {
  /// A daemon may not have written its process ID by then, nor be ready for a signal.
  @Test func `an nginx that is stopped as soon as it has started leaves no process behind`() async throws {
    for _ in 0..<3 {
      let server = try NginxServer()
      let text = try String(contentsOf: URL(filePath: server.folder + "/nginx.pid"), encoding: .utf8)
      let process = try #require(Int32(text.filter(\.isNumber)))
      server.stop()
      #expect(kill(process, 0) == -1, "nginx \(process) still runs")
    }
  }
}
