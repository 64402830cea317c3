/// Formats the progress of a transfer as one line of a given width.
struct ProgressLine: Equatable, Sendable {
  /// Download or upload.
  enum Direction: Sendable { case download, upload }

  var direction: Direction
  var bytes: Int64
  /// The total in bytes, if known.
  var total: Int64?
  /// Bytes per second, smoothed.
  var rate: Double
  /// Seconds since the start.
  var elapsed: Double

  /// From 0 to 1; nil while the total is unknown.
  var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? min(max(Double(bytes) / Double(total), 0), 1) : 1
  }

  /// The line, never longer than `width`; what does not fit is left out, the bar first.
  func text(width: Int) -> String {
    guard let fraction else {
      return Self.joined(["\(arrow) \(Figures.bytes(bytes))", Figures.rate(rate)], width: width)
    }
    let percent = Self.padded("\(Int(fraction * 100))%", to: 4)
    let facts = [Figures.bytes(bytes), Figures.rate(rate), timeLeft]
    // The bar's two brackets, and the gap before the facts.
    let room = width - "\(arrow) \(percent) ".count - 2 - facts.reduce(0) { $0 + max($1.count, 10) + 2 }
    guard room >= 10 else { return Self.joined(["\(arrow) \(percent)"] + facts, width: width) }
    // Columns of a fixed width, or the line would dance as numbers grow.
    let columns = facts.map { "  " + Self.padded($0, to: 10) }.joined()
    return "\(arrow) \(percent) [\(Self.bar(fraction, width: room))]\(columns)"
  }

  private var arrow: String { direction == .upload ? "up  " : "down" }

  private var timeLeft: String {
    guard let total, bytes < total else { return Figures.clock(elapsed) }
    return rate > 0 ? Figures.clock(Double(total - bytes) / rate) + " left" : "--:-- left"
  }

  static func bar(_ fraction: Double, width: Int) -> String {
    let full = Int(fraction * Double(width))
    let tip = full < width ? 1 : 0
    return String(repeating: "=", count: full) + (tip == 1 ? ">" : "")
      + String(repeating: " ", count: max(0, width - full - tip))
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
