import Foundation

/// The runs of one row, by contestant.
struct Comparison {
  let row: Row
  /// Without those that cannot do this work here.
  var contestants: [Contestant] { row.contestants.filter { runs[$0] != nil } }
  var runs: [Contestant: [Run]] = [:]

  /// Runs all contestants in turn, round by round; who goes first changes, so that none has the warmer machine.
  init(_ row: Row, _ setup: Setup, rounds: Int, quick: Bool) throws {
    self.row = row
    for round in 0..<rounds {
      for index in row.contestants.indices {
        let contestant = row.contestants[(index + round) % row.contestants.count]
        let words = row.words(for: contestant, quick: quick)
        let run: Run
        do { run = try setup.run(contestant, words, isPinned: row.isPinned) } catch is Unable { continue }
        try check(run, words, contestant)
        runs[contestant, default: []].append(run)
        setup.removeWritten()
      }
    }
  }

  /// Contestants that did not do the same work are not compared.
  private func check(_ run: Run, _ words: [String], _ contestant: Contestant) throws {
    guard let other = runs.values.first?.first, row.mode != "slow" else { return }
    let (one, two) = (run.bytes * other.requests, other.bytes * run.requests)
    // JSON encoders may write a number in another way.
    guard row.mode == "json" || one == two else {
      throw Failed("not the same work: \(contestant.name) had \(run.bytes) bytes in \(run.requests) requests: \(words)")
    }
  }

  func figures(_ contestant: Contestant) -> [Double] { (runs[contestant] ?? []).map { $0.figure(row.unit) } }

  /// The median of the ratios of Faraday's figure to the best of the others', round by round; nil if none of them took part.
  func ratio(of contestant: Contestant, to others: [Contestant]) -> Double? {
    let others = others.map { other in figures(row.contestants.first { $0.name == other.name } ?? other) }.filter { !$0.isEmpty }
    let ours = figures(contestant)
    guard !others.isEmpty, !ours.isEmpty else { return nil }
    let ratios = ours.indices.map { round in
      let theirs = others.map { $0[round] }
      return ours[round] / (row.unit.isRate ? theirs.max() ?? 1 : theirs.min() ?? 1)
    }
    return ratios.median
  }
}

extension [Double] {
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
  }
}
