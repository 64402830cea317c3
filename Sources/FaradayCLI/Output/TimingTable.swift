import Faraday

/// A table of the phases of a transfer: when each ended, its duration, and a bar that shows it within the whole.
struct TimingTable {
  let metrics: TransferMetrics

  init(_ metrics: TransferMetrics) { self.metrics = metrics }

  var text: String {
    let phases: [(name: String, end: Duration?)] = [
      ("queue", metrics.queue), ("name lookup", metrics.dns), ("connect", metrics.connect), ("TLS", metrics.tls),
      ("first byte", metrics.firstByte), ("total", metrics.total),
    ]
    var rows = [["phase", "until", "took"]]
    var before = Duration.zero
    let whole = phases.compactMap { $0.end }.max() ?? .zero
    for phase in phases {
      guard let end = phase.end else { continue }
      rows.append([
        phase.name, Self.milliseconds(end), Self.milliseconds(max(.zero, end - before)),
        Self.bar(from: min(before, end), to: end, of: whole),
      ])
      before = max(before, end)
    }
    // An adapter that knows the connection knows where it leads.
    if let address = metrics.remoteAddress {
      rows.append(["connection", metrics.reusedConnection ? "reused" : "new", address])
    }
    return TextTable(rows).text
  }

  /// A bar in as many columns as the whole has; at least one column of it is filled.
  private static func bar(from start: Duration, to end: Duration, of whole: Duration) -> String {
    guard whole > .zero, start >= .zero else { return "" }
    let first = min(Int(start / whole * Double(width)), width - 1)
    let last = max(first + 1, Int((end / whole * Double(width)).rounded()))
    let filled = String(repeating: " ", count: first) + String(repeating: "=", count: last - first)
    return filled + String(repeating: " ", count: width - last)
  }
  private static let width = 32

  private static func milliseconds(_ duration: Duration) -> String {
    Figures.fixed(duration.inSeconds * 1000, places: 3) + " ms"
  }
}
