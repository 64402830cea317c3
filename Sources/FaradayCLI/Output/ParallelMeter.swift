import Synchronization

/// Draws a line for each running transfer, and one for all of them, on a terminal, at most ten times a second. Those that have ended
/// leave their line behind, above. Without a terminal it draws nothing. Thread-safe.
final class ParallelMeter: Sendable {
  let isShown: Bool
  private let descriptor: Descriptor
  private let columns: Int?
  /// How many lines are drawn at most, so that they fit into the terminal.
  private let rows: Int
  private let state = Mutex(State())
  private let start = ContinuousClock.now

  private struct Transfer {
    let name: String
    var line: ProgressLine
    var rate = SmoothedRate()
  }

  private struct State {
    var running: [Int: Transfer] = [:]
    var ended: Set<Int> = []
    var endedBytes: Int64 = 0
    var rate = SmoothedRate()
    var drawnLines = 0
    var drawn: Double?
  }

  /// - Parameter columns: the terminal's width, if the descriptor leads to a terminal but is a pipe itself.
  init(on descriptor: Descriptor, shown: Bool, columns: Int? = nil, rows: Int = 20) {
    self.descriptor = descriptor
    self.columns = columns
    self.rows = rows
    isShown = shown
  }

  /// Updates the progress of a transfer, which begins with the first one. Ignored if it has ended.
  func update(_ number: Int, _ name: String, _ direction: ProgressLine.Direction, _ bytes: Int64, of total: Int64?) {
    guard isShown else { return }
    let now = (ContinuousClock.now - start).inSeconds
    state.withLock { state in
      guard !state.ended.contains(number) else { return }
      var transfer =
        state.running[number]
        ?? Transfer(name: name, line: ProgressLine(direction: direction, bytes: 0, total: nil, rate: 0, elapsed: 0))
      transfer.rate.add(bytes, at: now)
      transfer.line = ProgressLine(
        direction: direction, bytes: bytes, total: total, rate: transfer.rate.bytesPerSecond, elapsed: now)
      state.running[number] = transfer
      if state.drawn.map({ now - $0 >= 0.1 }) ?? true { draw(&state, now) }
    }
  }

  /// Ends a transfer: its line stays.
  func end(_ number: Int) {
    guard isShown else { return }
    let now = (ContinuousClock.now - start).inSeconds
    state.withLock { state in
      guard var transfer = state.running.removeValue(forKey: number) else { return }
      transfer.line.rate = transfer.rate.average
      state.ended.insert(number)
      state.endedBytes += transfer.line.bytes
      draw(&state, now, ended: text(transfer))
    }
  }

  /// Removes the lines, so that a message can be written; they are drawn again below it.
  func clear() {
    guard isShown else { return }
    state.withLock { state in
      try? descriptor.write(Self.back(over: state.drawnLines))
      (state.drawnLines, state.drawn) = (0, nil)
    }
  }

  private func draw(_ state: inout State, _ now: Double, ended: String? = nil) {
    var text = Self.back(over: state.drawnLines)
    if let ended { text += ended + "\n" }
    let lines = state.running.sorted { $0.key < $1.key }.prefix(rows).map { self.text($0.value) }
    let bytes = state.running.values.reduce(state.endedBytes) { $0 + $1.line.bytes }
    state.rate.add(bytes, at: now)
    let total =
      "total: \(state.ended.count) done, \(state.running.count) running, \(Figures.bytes(bytes)), "
      + "\(Figures.rate(state.running.isEmpty ? state.rate.average : state.rate.bytesPerSecond)), \(Figures.clock(now))"
    for line in lines + [String(total.prefix(width))] { text += line + "\n" }
    state.drawnLines = lines.count + 1
    state.drawn = now
    try? descriptor.write(text)
  }

  private func text(_ transfer: Transfer) -> String {
    let room = max(10, width / 3)
    let name = transfer.name.count > room ? "…" + transfer.name.suffix(room - 1) : transfer.name
    let space = String(repeating: " ", count: room - name.count)
    return "\(name)\(space) \(transfer.line.text(width: width - room - 1))"
  }

  // One column stays free: a full line makes some terminals wrap.
  private var width: Int { (columns ?? descriptor.columns) - 1 }

  /// Goes back over lines that were drawn, and removes them.
  private static func back(over lines: Int) -> String { lines == 0 ? "" : "\u{1B}[\(lines)A\r\u{1B}[J" }
}
