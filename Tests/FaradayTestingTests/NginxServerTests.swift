import Foundation
import TestServers
import Testing

@Suite struct NginxServerTests {
  /// A daemon can be running before it has written its process ID and handles signals.
  @Test func `an nginx that is stopped right after its start leaves no process`() async throws {
    for _ in 0..<3 {
      let server = try NginxServer()
      let text = try String(contentsOf: URL(filePath: server.folder + "/nginx.pid"), encoding: .utf8)
      let process = try #require(Int32(text.filter(\.isNumber)))
      server.stop()
      #expect(kill(process, 0) == -1, "nginx \(process) still runs")
    }
  }
}
