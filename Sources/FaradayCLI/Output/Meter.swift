import Faraday
import Synchronization

/// Shows the progress of transfers in one line of a terminal, at most ten times a second. The line of a single transfer stays
/// when it ends; parallel transfers share a line. Without a terminal it draws nothing. Thread-safe.
final class Meter: Sendable {
  let isShown: Bool
  private let showsTotal: Bool
  private let descriptor: Descriptor
  private let state = Mutex(State())
  private let start = ContinuousClock.now

  private struct State {
    /// The lines of the transfers that run, by their numbers.
    var running: [Int: ProgressLine] = [:]
    var ended: Set<Int> = []
    var endedBytes: Int64 = 0
    /// The time at which the line was drawn; nil without a line.
    var drawn: Double?
  }

  /// - Parameter showsTotal: whether one line shows all transfers.
  init(on descriptor: Descriptor, shown: Bool, showsTotal: Bool = false) {
    self.showsTotal = showsTotal
    self.descriptor = descriptor
    isShown = shown
  }

  /// Updates the progress of a transfer. The first update begins it; updates after its end are ignored.
  func update(_ direction: ProgressLine.Direction, _ bytes: Int64, of total: Int64?, in number: Int) {
    guard isShown else { return }
    let now = elapsed
    state.withLock { state in
      guard !state.ended.contains(number) else { return }
      // The response to an upload has a separate line.
      if let line = state.running[number], line.direction != direction { draw(&state, line, now, isLast: true) }
      let line = ProgressLine(
        direction: direction, bytes: bytes, total: total, rate: now > 0 ? Double(bytes) / now : 0, elapsed: now)
      state.running[number] = line
      if state.drawn.map({ now - $0 >= 0.1 }) ?? true { draw(&state, line, now) }
    }
  }

  /// Ends a transfer.
  func end(_ number: Int) {
    guard isShown else { return }
    let now = elapsed
    state.withLock { state in
      guard let line = state.running.removeValue(forKey: number) else { return }
      state.ended.insert(number)
      state.endedBytes += line.bytes
      draw(&state, line, now, isLast: true)
    }
  }

  /// Removes the line, so that a message can be written. The next update draws it again.
  func clear() {
    guard isShown else { return }
    state.withLock { state in
      if state.drawn != nil { try? descriptor.write("\r\u{1B}[K") }
      state.drawn = nil
    }
  }

  /// Ends the line of all transfers.
  func finish() {
    guard isShown else { return }
    state.withLock { state in
      if state.drawn != nil { try? descriptor.write("\n") }
      state.drawn = nil
    }
  }

  private var elapsed: Double { (ContinuousClock.now - start).inSeconds }

  private func draw(_ state: inout State, _ line: ProgressLine, _ now: Double, isLast: Bool = false) {
    // One column stays free: a full line makes some terminals wrap.
    let width = descriptor.columns - 1
    var text = line.text(width: width)
    if showsTotal {
      let bytes = state.running.values.reduce(state.endedBytes) { $0 + $1.bytes }
      let rate = Figures.rate(now > 0 ? Double(bytes) / now : 0)
      let counts = "\(state.ended.count) done, \(state.running.count) running"
      text = String("\(counts), \(Figures.bytes(bytes)), \(rate), \(Figures.clock(now))".prefix(width))
    }
    let ends = isLast && !showsTotal
    try? descriptor.write("\r\u{1B}[K" + text + (ends ? "\n" : ""))
    state.drawn = ends ? nil : now
  }
}

/// The part of a ``Meter`` for one transfer.
struct ProgressMeter: Sendable {
  let meter: Meter
  var number = 0

  var isShown: Bool { meter.isShown }

  func update(_ direction: ProgressLine.Direction, _ bytes: Int64, of total: Int64?) {
    meter.update(direction, bytes, of: total, in: number)
  }

  func finish() { meter.end(number) }
}

/// Formats the progress of a transfer as one line of a given width.
struct ProgressLine: Equatable, Sendable {
  /// Download or upload.
  enum Direction: Sendable { case download, upload }

  var direction: Direction
  var bytes: Int64
  /// The total in bytes, if known.
  var total: Int64?
  /// Bytes per second.
  var rate: Double
  /// Seconds since the start.
  var elapsed: Double

  /// The fraction from 0 to 1; nil while the total is unknown.
  var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? min(max(Double(bytes) / Double(total), 0), 1) : 1
  }

  /// Returns the line, never longer than `width`. Parts that do not fit are omitted, the bar first.
  func text(width: Int) -> String {
    guard let fraction else {
      return Self.joined(["\(arrow) \(Figures.bytes(bytes))", Figures.rate(rate)], width: width)
    }
    let percent = Self.padded("\(Int(fraction * 100))%", to: 4)
    let facts = [Figures.bytes(bytes), Figures.rate(rate), timeLeft]
    // The bar's two brackets, and the gap before the facts.
    let room = width - "\(arrow) \(percent) ".count - 2 - facts.reduce(0) { $0 + max($1.count, 10) + 2 }
    guard room >= 10 else { return Self.joined(["\(arrow) \(percent)"] + facts, width: width) }
    // Columns have a fixed width, so that the line does not move as numbers grow.
    let columns = facts.map { "  " + Self.padded($0, to: 10) }.joined()
    return "\(arrow) \(percent) [\(Self.bar(fraction, width: room))]\(columns)"
  }

  private var arrow: String { direction == .upload ? "up  " : "down" }

  private var timeLeft: String {
    guard let total, bytes < total else { return Figures.clock(elapsed) }
    return rate > 0 ? Figures.clock(Double(total - bytes) / rate) + " left" : "--:-- left"
  }

  private static func bar(_ fraction: Double, width: Int) -> String {
    let full = Int(fraction * Double(width))
    return String((String(repeating: "=", count: full) + ">" + String(repeating: " ", count: width - full)).prefix(width))
  }

  private static func joined(_ parts: [String], width: Int) -> String {
    var parts = parts
    while parts.count > 1, parts.joined(separator: "  ").count > width { parts.removeLast() }
    return String(parts.joined(separator: "  ").prefix(max(0, width)))
  }

  private static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// Formats numbers for display.
enum Figures {
  /// A number with this many decimal places, without exponent; a dash if it is not finite or too large.
  static func fixed(_ value: Double, places: Int) -> String {
    let unit = (0..<places).reduce(Int64(1)) { power, _ in power * 10 }
    let scaled = (value.magnitude * Double(unit)).rounded()
    guard let whole = Int64(exactly: scaled) else { return "-" }
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard unit > 1 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole / unit).\(padded(whole % unit, to: "\(unit)".count - 1))"
  }

  /// `0 B`, `999 B`, `1.5 KiB`, `512.0 MiB`.
  static func bytes(_ count: Int64) -> String {
    guard count.magnitude >= 1024 else { return "\(count) B" }
    var value = Double(count) / 1024
    var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
    // 1023.96 would be shown as 1024.0.
    while value.magnitude >= 1023.95, units.count > 1 {
      value /= 1024
      units.removeFirst()
    }
    return "\(fixed(value, places: 1)) \(units.first ?? "")"
  }

  /// `1.5 KiB/s`.
  static func rate(_ bytesPerSecond: Double) -> String {
    guard let whole = Int64(exactly: bytesPerSecond.rounded()) else { return "- B/s" }
    return bytes(whole) + "/s"
  }

  /// `0:07`, `12:34`, `1:02:03`; dashes for 100 hours and more.
  static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 360_000 else { return "--:--" }
    let whole = Int(seconds.rounded(.up))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours):\(padded(minutes, to: 2)):\(padded(rest, to: 2))" : "\(minutes):\(padded(rest, to: 2))"
  }

  /// Returns the digits of a non-negative number, padded with zeros to this width.
  static func padded(_ number: some BinaryInteger, to width: Int, radix: Int = 10) -> String {
    let digits = String(number, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
