import Foundation

/// How Faraday's cost grows with the number of requests in flight and of connections, the size of a response, and the number of middleware.
struct Growth {
  let setup: Setup
  let folder: String

  func measure(rounds: Int) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let flights = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000]
    let perRequest: KeyValuePairs<String, (Run) -> Double> = [
      "µs of processor per request": { $0.processorSeconds / Double($0.requests) * 1e6 }, "MB at most": megabytes,
    ]
    try plot("in-flight", "requests in flight, over 64 connections at most", flights, rounds, series: perRequest) {
      ["get", setup.web + "/hello", "--requests", "\(max(20000, $0 * 5))", "--concurrency", "\($0)", "--by-default"]
    }
    // Several requests each: the first has the cost of the connection.
    try plot("connections", "requests in flight, each over its own connection", flights, rounds, series: perRequest) {
      ["get", setup.web + "/hello", "--requests", "\(max(20000, $0 * 5))", "--concurrency", "\($0)"]
    }
    let sizes = stride(from: 10, through: 33, by: 3).map { 1 << $0 } + [10 << 30]
    for size in sizes { try setup.files.writeSparse("sparse-\(size)", size: size) }
    try plot(
      "size", "bytes of a streamed response", sizes, rounds,
      series: ["ms": { $0.seconds / Double($0.requests) * 1000 }, "MB at most": megabytes]
    ) { ["stream", setup.web + "/sparse-\($0)", "--requests", "\($0 < 1 << 20 ? 1000 : 1)"] }
    let layers = [0, 1, 5, 10, 20, 30, 40, 50]
    try plot("middleware", "middleware that pass everything on", layers, rounds, isLinear: true, series: perRequest) {
      ["get", setup.web + "/hello", "--requests", "20000", "--concurrency", "64"] + ($0 > 0 ? ["--layers", "\($0)"] : [])
    }
  }

  private func megabytes(_ run: Run) -> Double { Double(run.peak_rss_kib) * 1024 / 1e6 }

  private func plot(
    _ name: String, _ axis: String, _ values: [Int], _ rounds: Int, isLinear: Bool = false,
    series: KeyValuePairs<String, (Run) -> Double>, words: (Int) -> [String]
  ) throws {
    var lines = series.map { (name: $0.key, points: [(Double, Double)]()) }
    print(axis.padded(36), lines.map { $0.name.padded(30, atEnd: false) }.joined())
    for value in values {
      let runs = try (0..<rounds).map { _ in try setup.run(.faraday, words(value)) }
      for (index, figure) in series.enumerated() { lines[index].points.append((Double(value), runs.map(figure.value).median)) }
      print("\(value)".padded(36), lines.map { ($0.points.last?.1 ?? 0).grouped.padded(30, atEnd: false) }.joined())
    }
    let plot = Plot(axis: axis, lines: lines, isLinear: isLinear)
    try plot.svg.write(toFile: folder + "/\(name).svg", atomically: true, encoding: .utf8)
  }
}
