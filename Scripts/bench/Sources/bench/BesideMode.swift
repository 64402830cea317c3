import Faraday
import FaradayCurl
import FoundationEssentials
import Measuring

/// How long small requests take beside large downloads over the same engine, in each delivery.
enum BesideMode {
  /// Prints a line for each delivery: the median and the 99th of 100 of so many requests, in milliseconds.
  static func compare(_ arguments: Arguments) async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .direct
    configuration.maximumPooledConnectionsPerOrigin = arguments.concurrency + 1
    let connection = try Connection(arguments.url, adapter: CurlAdapter(configuration))
    let deliveries: [(String, @Sendable () async throws -> Void)] = [
      ("nothing", {}),
      ("buffered", { _ = try await connection.get { $0.options.maximumBodySize = 1 << 30 } }),
      ("streamed", { for try await _ in try await connection.get(edit: { $0.options.delivery = .streamed }).body {} }),
      ("by callback", { _ = try await connection.get { $0.options.onChunk = { _ in .continue } } }),
    ]
    for (name, download) in deliveries {
      let times = try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<(name == "nothing" ? 0 : arguments.concurrency) {
          group.addTask { while !Task.isCancelled { try await download() } }
        }
        defer { group.cancelAll() }
        return try await small(arguments, over: connection)
      }
      let sorted = times.sorted()
      let figures = [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100]].map(milliseconds)
      print("beside \(name): median \(figures[0]) ms, 99 of 100 below \(figures[1]) ms")
    }
  }

  private static func small(_ arguments: Arguments, over connection: Connection) async throws -> [Duration] {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for _ in 0..<arguments.requests {
      times.append(try await clock.measure { _ = try await connection.get(arguments.second) })
    }
    return times
  }

  private static func milliseconds(_ time: Duration) -> String {
    let hundredths = Int((time / .milliseconds(1) * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
