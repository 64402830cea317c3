import Foundation

/// Lines over an axis, as an SVG: both axes logarithmic, unless they are linear.
struct Plot {
  let axis: String
  let lines: [(name: String, points: [(Double, Double)])]
  let isLinear: Bool

  private let width = 720.0
  private let height = 420.0
  private let margin = 60.0
  private let colors = ["#0b6e4f", "#c8553d", "#3d5a80", "#8a6d3b"]

  var svg: String {
    let points = lines.flatMap(\.points)
    let across = Scale(points.map(\.0), from: margin, to: width - margin / 2, isLinear)
    let up = Scale(points.map(\.1), from: height - margin, to: margin / 2, isLinear)
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    for mark in across.marks {
      let x = across.place(mark)
      parts.append("<path d=\"M\(x) \(margin / 2)V\(height - margin)\" stroke=\"#ddd\"/>")
      parts.append("<text x=\"\(x)\" y=\"\(height - margin + 18)\" text-anchor=\"middle\">\(label(mark))</text>")
    }
    for mark in up.marks {
      let y = up.place(mark)
      parts.append("<path d=\"M\(margin) \(y)H\(width - margin / 2)\" stroke=\"#ddd\"/>")
      parts.append("<text x=\"\(margin - 6)\" y=\"\(y + 4)\" text-anchor=\"end\">\(label(mark))</text>")
    }
    for (index, line) in lines.enumerated() {
      let path = line.points.map { "\(across.place($0.0)),\(up.place($0.1))" }.joined(separator: " ")
      let color = colors[index % colors.count]
      parts.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>")
      parts.append(
        "<text x=\"\(margin + 12)\" y=\"\(margin / 2 + 18 * Double(index + 1))\" fill=\"\(color)\">\(line.name)</text>")
    }
    parts.append("<text x=\"\(width / 2)\" y=\"\(height - 16)\" text-anchor=\"middle\">\(axis)</text></svg>\n")
    return parts.joined(separator: "\n")
  }

  private func label(_ value: Double) -> String {
    let units: [(Double, String)] = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
    for (size, letter) in units where value >= size { return String(format: "%g", value / size) + letter }
    return String(format: "%g", value)
  }
}

/// From values to places on the paper.
private struct Scale {
  private let least, most, from, to: Double
  private let isLinear: Bool

  init(_ values: [Double], from: Double, to: Double, _ isLinear: Bool) {
    (self.from, self.to, self.isLinear) = (from, to, isLinear)
    let (low, high) = (values.min() ?? 1, values.max() ?? 1)
    if isLinear {
      (least, most) = (0, max(high * 1.05, 1))
    } else {
      // Whole powers of ten.
      least = pow(10, floor(log10(max(low, 1e-6))))
      most = max(pow(10, ceil(log10(max(high, 1e-6)))), least * 10)
    }
  }

  func place(_ value: Double) -> Double {
    let share = isLinear ? (value - least) / (most - least) : log(max(value, least) / least) / log(most / least)
    return ((from + (to - from) * share) * 10).rounded() / 10
  }

  var marks: [Double] {
    if !isLinear { return Array(sequence(first: least) { $0 * 10 <= most * 1.001 ? $0 * 10 : nil }) }
    let step = pow(10, floor(log10(most))) / 2
    return Array(stride(from: 0, through: most, by: step))
  }
}
