import Foundation

extension Comparison {
  /// A block of lines for reading: a heading, and a line for each contestant.
  var text: String {
    let target = row.target.isEmpty ? "" : "   to reach: \(row.target)"
    var lines = ["\(row.title) (\(row.name))\(target)"]
    for contestant in contestants {
      let (runs, figures) = (runs[contestant] ?? [], figures(contestant))
      let rate = "\(figures.median.grouped) (\(figures.min()?.grouped ?? "")–\(figures.max()?.grouped ?? ""))"
      let processor = runs.map { $0.processorSeconds / Double($0.requests) * 1e6 }.median
      var line = "  " + contestant.name.padded(34) + rate.padded(34, atEnd: false) + " " + row.unit.rawValue.padded(11)
      line += "\(processor.grouped) µs CPU each".padded(24, atEnd: false)
      line += "\((runs.map { Double($0.peak_rss_kib) * 1024 / 1e6 }.median).grouped) MB".padded(10, atEnd: false)
      if contestant.program == .faraday { line += ratios(contestant) }
      if let share = runs.last?.idle_cpu_share { line += "   idle: \((share * 100).grouped) % of a processor" }
      lines.append(line)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func ratios(_ contestant: Contestant) -> String {
    let toC = ratio(of: contestant, to: [.c]).map { "   \($0.twoPlaces) C" } ?? ""
    let toPeer = ratio(of: contestant, to: Contestant.asyncHTTPClient).map { "   \($0.twoPlaces) AHC" } ?? ""
    return toC + toPeer
  }

  /// A line of the README's table.
  var markdown: String {
    func median(_ contestants: [Contestant]) -> String {
      let medians = contestants.map { other in figures(self.contestants.first { $0.name == other.name } ?? other) }
        .filter { !$0.isEmpty }.map(\.median)
      return (row.unit.isRate ? medians.max() : medians.min())?.grouped ?? "–"
    }
    let ours = contestants.filter { $0.program == .faraday }
    return ours.map { contestant in
      let title = contestant.name == "Faraday" ? row.title : "\(row.title) (\(contestant.name.dropFirst("Faraday, ".count)))"
      let cells = [
        title, row.unit.rawValue, median([.c]), median(Contestant.asyncHTTPClient), median([.urlSession]), median([contestant]),
        ratio(of: contestant, to: [.c])?.twoPlaces ?? "–",
        ratio(of: contestant, to: Contestant.asyncHTTPClient)?.twoPlaces ?? "–",
      ]
      return "| " + cells.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }

  static let markdownHeading = """
    | work | unit | C | async-http-client, the better of 1 and 2 loops | URLSession | Faraday | of C | of async-http-client |
    |---|---|---|---|---|---|---|---|
    """
}

extension Double {
  var twoPlaces: String { String(format: "%.2f", self) }

  /// `12,345`, or with a digit behind the point below a hundred.
  var grouped: String {
    guard self >= 100 else { return String(format: "%.1f", self) }
    var digits = String(Int(rounded()))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }
}

extension String {
  func padded(_ width: Int, atEnd: Bool = true) -> String {
    let blanks = String(repeating: " ", count: Swift.max(0, width - count))
    return atEnd ? self + blanks : blanks + self
  }
}
