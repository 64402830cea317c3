import Faraday

/// The result of one step of the demonstration: bytes and time.
struct DemoStep: Codable, Equatable {
  let name: String
  var bytes: Int64 = 0
  var seconds = 0.0
  /// The adapter does not support what the step needs.
  var isUnsupported = false

  /// Seconds and MiB/s.
  var cells: [String] {
    guard !isUnsupported else { return ["unsupported", "-"] }
    let rate = seconds > 0 ? Figures.fixed(Double(bytes) / Double(1 << 20) / seconds, places: 1) : "-"
    return [Figures.fixed(seconds, places: 3) + " s", rate]
  }
}

/// The measurements of a client's process, as it passes them to its parent.
struct DemoFigures: Codable, Equatable {
  let steps: [DemoStep]
  let peakMemory: Int64?

  /// Ends the text in the client's output; the figures follow. No text contains it.
  static let separator: UInt8 = 0x1E

  var record: Data {
    get throws { try [Self.separator] + JSONEncoder().encode(self) }
  }
}

/// The demonstration over one adapter, as client and server measured it.
struct DemoRun: Equatable {
  let transport: Transport
  let figures: DemoFigures
  /// What the server counted.
  let connections: Int
  let requests: Int

  /// A table with the runs side by side.
  static func table(_ runs: [DemoRun]) -> String {
    var rows = [["step", "bytes"] + runs.flatMap { [$0.transport.rawValue, "MiB/s"] }]
    for (index, step) in (runs.first?.figures.steps ?? []).enumerated() {
      rows.append(
        [step.name, "\(runs.map { $0.figures.steps[index].bytes }.max() ?? 0)"] + runs.flatMap { $0.figures.steps[index].cells })
    }
    func add(_ name: String, _ cell: (DemoRun) -> String) { rows.append([name, ""] + runs.flatMap { [cell($0), ""] }) }
    add("peak memory") { $0.figures.peakMemory.map(Figures.bytes) ?? "unknown" }
    add("requests") { "\($0.requests)" }
    add("connections opened") { "\($0.connections)" }
    // A connection is opened for a request, so all others found one that was there.
    add("connections reused") { "\(max(0, $0.requests - $0.connections))" }
    return TextTable(rows).text
  }
}
