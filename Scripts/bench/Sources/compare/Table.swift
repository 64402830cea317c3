import Foundation

extension Comparison {
  /// A block of lines for reading: a heading, and a line for each contestant.
  var text: String {
    let target = row.target.isEmpty ? "" : "   to reach: \(row.target)"
    var lines = ["\(row.title) (\(row.name))\(target)"]
    for contestant in contestants {
      let (runs, figures) = (runs[contestant] ?? [], figures(contestant))
      let rate = "\(figures.median.grouped) (\(figures.min()?.grouped ?? "")–\(figures.max()?.grouped ?? ""))"
      let processor = runs.map { $0.processorTime(row.unit) }.median
      var line = "  " + contestant.name.padded(34) + rate.padded(34, atEnd: false) + " " + row.unit.rawValue.padded(11)
      line += "\(processor.grouped) \(row.unit == .megabytes ? "ms CPU/GiB" : "µs CPU each")".padded(24, atEnd: false)
      line += "\((runs.map { Double($0.peak_rss_kib) * 1024 / 1e6 }.median).grouped) MB".padded(10, atEnd: false)
      if row.unit == .requests, let (half, most) = latencies(contestant) {
        line += "half in \(half.grouped) µs, 99 % in \(most.grouped)".padded(36, atEnd: false)
      }
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

  /// The medians of the rounds' medians and 99th percentiles, in microseconds.
  private func latencies(_ contestant: Contestant) -> (half: Double, most: Double)? {
    let runs = runs[contestant] ?? []
    let (halves, mosts) = (runs.compactMap(\.p50_microseconds), runs.compactMap(\.p99_microseconds))
    return halves.isEmpty || mosts.isEmpty ? nil : (halves.median, mosts.median)
  }

  /// The contestant of this row with the name, whose mode may differ.
  private func here(_ contestant: Contestant) -> Contestant? { contestants.first { $0.name == contestant.name } }

  /// The lines for the table of rates: one for each way of calling Faraday.
  var rates: String {
    func median(_ candidates: [Contestant]) -> String {
      let medians = candidates.compactMap(here).map { figures($0).median }
      return (row.unit.isRate ? medians.max() : medians.min())?.grouped ?? "–"
    }
    return lines { contestant in
      [
        row.unit.rawValue, median([.c]), median(Contestant.asyncHTTPClient), median([.urlSession]), median([contestant]),
        ratio(of: contestant, to: [.c])?.twoPlaces ?? "–",
        ratio(of: contestant, to: Contestant.asyncHTTPClient)?.twoPlaces ?? "–",
      ]
    }
  }

  /// The lines for the table of processor time and latency.
  var costs: String {
    guard row.unit.isRate else { return "" }
    func processor(_ candidates: [Contestant]) -> String {
      candidates.compactMap(here).map { (runs[$0] ?? []).map { $0.processorTime(row.unit) }.median }.min()?.grouped ?? "–"
    }
    func latency(_ candidates: [Contestant]) -> String {
      guard row.unit == .requests else { return "–" }
      let best = candidates.compactMap(here).compactMap(latencies).min { $0.half < $1.half }
      return best.map { "\($0.half.grouped) / \($0.most.grouped)" } ?? "–"
    }
    return lines { contestant in
      [row.unit == .megabytes ? "ms/GiB" : "µs"]
        + [processor, latency].flatMap { [$0([.c]), $0(Contestant.asyncHTTPClient), $0([contestant])] }
    }
  }

  private func lines(_ cells: (Contestant) -> [String]) -> String {
    contestants.filter { $0.program == .faraday }.map { contestant in
      let title = contestant.name == "Faraday" ? row.title : "\(row.title) (\(contestant.name.dropFirst("Faraday, ".count)))"
      return "| " + ([title] + cells(contestant)).joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }

  static let rateHeading = """
    | work | unit | C | async-http-client, the better of 1 and 2 loops | URLSession | Faraday | of C | of async-http-client |
    |---|---|---|---|---|---|---|---|
    """

  /// Latencies are those of half and of 99 of 100 requests.
  static let costHeading = """
    | work | processor time | C | async-http-client | Faraday | latency of 50 % / 99 % in µs: C | async-http-client | Faraday |
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
