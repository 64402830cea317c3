import Faraday
import FaradayCurl
import FoundationEssentials
import Glibc

/// Ends the process while transfers run. That it does so cleanly is for whoever started it to see: exit status 0.
enum Exit {
  static func run() async throws {
    let child = try Child()
    let connection = try Connection(child.url, adapter: CurlAdapter())
    for _ in 0..<20 {
      Task { try await connection.get("bytes/100000000000") { $0.options.onChunk = { _ in .continue } } }
      Task { try await connection.put("upload", body: .stream(Blocks(count: 1 << 30, size: 1000))) }
    }
    let response = try await connection.get("drip?count=3&interval=20")
    try check(response.status == .ok, "\(response.status)")
    exit(0)
  }
}
