import Synchronization

/// Draws a progress line on a terminal, at most ten times a second; without a terminal it draws nothing. Thread-safe.
final class ProgressMeter: Sendable {
  let isShown: Bool
  private let descriptor: Descriptor
  private let columns: Int?
  /// The meter of parallel transfers that this one is a part of.
  private let whole: (meter: ParallelMeter, number: Int, name: String)?
  private let state = Mutex(State())
  private let start = ContinuousClock.now

  private struct State {
    var line: ProgressLine?
    var rate = SmoothedRate()
    var drawn: Double?
    var isFinished = false
  }

  /// - Parameter columns: the terminal's width, if the descriptor leads to a terminal but is a pipe itself.
  init(on descriptor: Descriptor, shown: Bool, columns: Int? = nil) {
    self.descriptor = descriptor
    self.columns = columns
    whole = nil
    isShown = shown
  }

  /// The meter of one of several transfers at a time.
  init(_ number: Int, of meter: ParallelMeter, name: String) {
    descriptor = .error
    columns = nil
    whole = (meter, number, name)
    isShown = meter.isShown
  }

  /// Updates the progress. Cheap enough to be called for every chunk.
  func update(_ direction: ProgressLine.Direction, _ bytes: Int64, of total: Int64?) {
    guard isShown else { return }
    if let whole { return whole.meter.update(whole.number, whole.name, direction, bytes, of: total) }
    let now = (ContinuousClock.now - start).inSeconds
    state.withLock { state in
      guard !state.isFinished else { return }
      if let last = state.line, last.direction != direction { endLine(&state, now) }
      state.rate.add(bytes, at: now)
      state.line = ProgressLine(
        direction: direction, bytes: bytes, total: total, rate: state.rate.bytesPerSecond, elapsed: now)
      if state.drawn.map({ now - $0 >= 0.1 }) ?? true { draw(&state, now) }
    }
  }

  /// Draws the final state and ends the line. Later updates are ignored.
  func finish() {
    guard isShown else { return }
    if let whole { return whole.meter.end(whole.number) }
    let now = (ContinuousClock.now - start).inSeconds
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      endLine(&state, now)
    }
  }

  private func endLine(_ state: inout State, _ now: Double) {
    guard state.line != nil else { return }
    state.line?.rate = state.rate.average
    draw(&state, now)
    try? descriptor.write("\n")
    state = State(isFinished: state.isFinished)
  }

  private func draw(_ state: inout State, _ now: Double) {
    guard let line = state.line else { return }
    state.drawn = now
    // One column stays free: a full line makes some terminals wrap.
    try? descriptor.write("\r\(line.text(width: (columns ?? descriptor.columns) - 1))\u{1B}[K")
  }
}
