/// Formats numbers for display.
enum Figures {
  /// A number with this many decimal places, without exponent; a dash if it is not finite or too large.
  static func fixed(_ value: Double, places: Int) -> String {
    var unit: Int64 = 1
    for _ in 0..<min(max(places, 0), 9) { unit *= 10 }
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

  /// The digits of a number that is not negative, with zeros in front of them to this width.
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
