import Faraday

/// Formats rows as a table, with columns as wide as their widest cell.
struct TextTable {
  let rows: [[String]]

  init(_ rows: [[String]]) { self.rows = rows }

  /// First column left-aligned, the others right-aligned, for numbers.
  var text: String { text { $0 == 0 } }

  /// All columns left-aligned.
  var leftAligned: String { text { _ in true } }

  private func text(isLeft: (_ column: Int) -> Bool) -> String {
    let columns: Int = rows.map(\.count).max() ?? 0
    let widths: [Int] = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return isLeft(column) ? cell + space : space + cell
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

/// A table of the phases of a transfer, with the end and the duration of each.
struct TimingTable {
  let metrics: TransferMetrics

  init(_ metrics: TransferMetrics) { self.metrics = metrics }

  var text: String {
    let phases: [(name: String, end: Duration?)] = [
      ("queue", metrics.queue), ("name lookup", metrics.resolve), ("connect", metrics.connect), ("TLS", metrics.tls),
      ("first byte", metrics.firstByte), ("total", metrics.total),
    ]
    var rows = [["phase", "until", "took"]]
    var before = Duration.zero
    for phase in phases {
      guard let end = phase.end else { continue }
      rows.append([phase.name, Self.milliseconds(end), Self.milliseconds(max(.zero, end - before))])
      before = max(before, end)
    }
    // An adapter that reports the connection also reports its remote address.
    if let address = metrics.remoteAddress {
      rows.append(["connection", metrics.isConnectionReused ? "reused" : "new", address])
    }
    return TextTable(rows).text
  }

  private static func milliseconds(_ duration: Duration) -> String {
    Figures.fixed(duration.inSeconds * 1000, places: 3) + " ms"
  }
}
