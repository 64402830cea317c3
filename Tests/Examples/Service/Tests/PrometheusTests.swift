import Foundation
import Harness
import Metrics
import Testing

@testable import JobService

@Suite struct PrometheusTests {
  @Test func `metrics are shown in the text format`() {
    let registry = PrometheusRegistry()
    Counter(label: "jobs", dimensions: [("tenant.name", "a \"b\"\\\n")], factory: registry).increment(by: 2)
    Meter(label: "http.client.active_requests", factory: registry).set(3)
    let gone = Meter(label: "http.client.active_requests", dimensions: [("host", "gone")], factory: registry)
    gone.destroy()
    let duration = Recorder(label: "call.duration", factory: registry)
    for value in [0.001, 0.3, 60] { duration.record(value) }
    let lines = registry.text().split(separator: "\n")
    #expect(lines.contains(#"jobs_total{tenant_name="a \"b\"\\\n"} 2.0"#))
    #expect(lines.contains("http_client_active_requests 3.0"))
    #expect(!lines.contains { $0.contains("gone") })
    #expect(lines.contains("# TYPE call_duration_seconds histogram"))
    #expect(lines.contains(#"call_duration_seconds_bucket{le="0.005"} 1"#))
    #expect(lines.contains(#"call_duration_seconds_bucket{le="0.5"} 2"#))
    #expect(lines.contains(#"call_duration_seconds_bucket{le="+Inf"} 3"#))
    #expect(lines.contains("call_duration_seconds_sum 60.301") && lines.contains("call_duration_seconds_count 3"))
  }
}

/// Checks metrics with Prometheus' own parser and linter; nil if they are right, and otherwise what it says.
func problem(of metrics: String) async throws -> String? {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("metrics-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appendingPathComponent("metrics")
  try metrics.write(to: file, atomically: true, encoding: .utf8)
  let shell = URL(fileURLWithPath: "/bin/sh")
  let script = "promtool check metrics <\"$1\" && echo right; echo end"
  let child = try Child(
    shell, ["-c", script, "sh", file.path], environment: ["PATH": "/usr/bin:/bin"],
    output: folder.appendingPathComponent("output"))
  let text = try await eventually { child.text.hasSuffix("end\n") ? child.text : nil }
  return text.hasSuffix("right\nend\n") ? nil : text
}
