import Faraday

/// A table of the phases of a transfer: when each ended, and its duration.
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
    for phase in phases {
      guard let end = phase.end else { continue }
      rows.append([phase.name, Self.milliseconds(end), Self.milliseconds(max(.zero, end - before))])
      before = max(before, end)
    }
    // An adapter that knows the connection knows where it leads.
    if let address = metrics.remoteAddress {
      rows.append(["connection", metrics.reusedConnection ? "reused" : "new", address])
    }
    return TextTable(rows).text
  }

  private static func milliseconds(_ duration: Duration) -> String {
    Figures.fixed(duration.inSeconds * 1000, places: 3) + " ms"
  }
}
