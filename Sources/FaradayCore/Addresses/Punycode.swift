/// The ASCII form of a label of an international host name (RFC 3492), without `xn--`.
package enum Punycode {
  package static func encode(_ label: String) -> String {
    let scalars = label.unicodeScalars.map { Int($0.value) }
    var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
    let basicCount = output.count
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var handled = basicCount
    var next = 0x80
    var delta = 0
    var bias = 72
    while handled < scalars.count, let least = scalars.filter({ $0 >= next }).min() {
      delta += (least - next) * (handled + 1)
      next = least
      for scalar in scalars {
        if scalar < next { delta += 1 }
        guard scalar == next else { continue }
        append(delta, to: &output, bias: bias)
        bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static let base = 36
  private static let least = 1
  private static let most = 26

  /// A number of variable length, its lowest digit first.
  private static func append(_ delta: Int, to output: inout [UInt8], bias: Int) {
    var rest = delta
    var place = base
    while true {
      let threshold = min(max(place - bias, least), most)
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      place += base
    }
    output.append(digit(rest))
  }

  private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var steps = 0
    while delta > (base - least) * most / 2 {
      delta /= base - least
      steps += base
    }
    return steps + (base - least + 1) * delta / (delta + 38)
  }

  private static func digit(_ value: Int) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }
}
