import Synchronization

/// What came of a soak's request.
enum Verdict {
  case whole, failed, cancelled, dropped
  /// It met something that had left the server after it had begun: nobody's fault.
  case crossed(String)
  case wrong(String)

  static let names = ["whole", "failed", "cancelled", "dropped", "crossed", "wrong"]

  var index: Int {
    switch self {
    case .whole: 0
    case .failed: 1
    case .cancelled: 2
    case .dropped: 3
    case .crossed: 4
    case .wrong: 5
    }
  }
}

/// Counts what came of requests, by what the server did and by what was asked.
final class Tally: Sendable {
  private let state = Mutex<(rows: [String: [Int]], count: Int, wrong: [String])>(([:], 0, []))

  var count: Int { state.withLock { $0.count } }
  /// What was not as it has to be.
  var wrong: [String] { state.withLock { $0.wrong } }

  func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { state.withLock { [what = what()] in $0.wrong.append(what) } }
  }

  func add(_ plan: SoakPlan, _ verdict: Verdict) {
    state.withLock {
      $0.count += 1
      for row in Self.rows(plan) { $0.rows[row, default: Array(repeating: 0, count: Verdict.names.count)][verdict.index] += 1 }
      if case .wrong(let what) = verdict {
        $0.wrong.append("\(plan.method) \(plan.number), \(plan.delivery), server's fault \(plan.fault.rawValue): \(what)")
      }
    }
  }

  private static func rows(_ plan: SoakPlan) -> [String] {
    var rows = ["all", "server: " + plan.fault.rawValue, plan.method, "delivery: \(plan.delivery)", "framing: \(plan.framing)"]
    if plan.isGzipped { rows.append("gzip") }
    if plan.isEarly { rows.append("early answer") }
    if plan.isOnEngineThread { rows.append("on the engine's thread") }
    return rows
  }

  /// One row for each, and a column for each verdict.
  var table: String {
    func line(_ name: String, _ cells: [String]) -> String {
      name.padded(to: 54) + cells.map { String(repeating: " ", count: max(0, 11 - $0.utf8.count)) + $0 }.joined()
    }
    let rows = state.withLock { $0.rows }
    let lines = rows.sorted { $0.key < $1.key }.map { line($0.key, $0.value.map(String.init)) }
    return ([line("", Verdict.names)] + lines).joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - utf8.count)) }
}
