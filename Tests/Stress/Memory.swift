import Faraday
import FaradayCurl
import FoundationEssentials

/// A streamed download and an upload from a sequence, each of so many GiB, and a reader that takes one piece a second: the
/// peak of memory above that of the idle process.
struct Memory {
  let gibibytes: Int
  private static let limit = 16 << 10

  func run() async throws {
    let child = try Child()
    let connection = try Connection(child.url, adapter: CurlAdapter())
    let bytes = gibibytes << 30

    try await peak("download of \(gibibytes) GiB, streamed") {
      let response = try await connection.get("bytes/\(bytes)") { $0.options.delivery = .streamed }
      var count = 0
      for try await piece in response.body { count += piece.count }
      try check(count == bytes, "\(count) bytes came")
    }
    try await peak("upload of \(gibibytes) GiB from a sequence") {
      let body = Body.stream(Blocks(count: gibibytes << 12, size: 256 << 10), length: Int64(bytes))
      let answer = try await connection.put("upload", body: body).body.utf8Text()
      try check(answer.contains("\"bytes\":\(bytes)"), answer)
    }
    try await peak("reader that takes one piece a second, 10 seconds") {
      let response = try await connection.get("bytes/\(bytes)") { $0.options.delivery = .streamed }
      var iterator = response.body.makeAsyncIterator()
      for _ in 0..<10 {
        _ = try await iterator.next()
        try await Task.sleep(for: .seconds(1))
      }
    }
  }

  private func peak(_ what: String, _ body: () async throws -> Void) async throws {
    Figures.resetPeak()
    let idle = Figures.status("VmRSS")
    let clock = ContinuousClock()
    let duration = try await clock.measure(body)
    let peak = Figures.status("VmHWM")
    print("memory: \(what): \(idle) KiB idle, peak \(peak - idle) KiB above it, \(duration)")
    try check(peak - idle < Self.limit, "more than \(Self.limit) KiB")
  }
}
