import FaradayCache
import FaradayCore
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// Stores responses in a disk cache until it is killed, and writes a byte for each: `cache-writer FOLDER URLS`. The body for a URL begins
// with a random number, which says what the rest must be; `StoredBodies` in the tests checks that.

/// Answers each request with a body of up to 200 KB.
struct Source: Adapter {
  var capabilities: Capabilities { .all }

  func send(_ request: Request) async throws -> Response {
    var generator = SystemRandomNumberGenerator()
    let salt = UInt32.random(in: .min ... .max, using: &generator)
    let number = UInt32(request.url.path().dropFirst()) ?? 0
    var state = UInt64(salt) << 32 | UInt64(number)
    var words = [state]
    for _ in 0..<Int(salt % 25_000) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words.append(state)
    }
    let body = words.withUnsafeBytes { Data($0) }
    return Response(
      status: .ok, headers: [.cacheControl: "max-age=100000000", .contentLength: "\(body.count)"], body: .data(body),
      url: request.url)
  }
}

let words = CommandLine.arguments
guard words.count == 3, let count = Int(words[2]), count > 0 else { exit(64) }
let store = try DiskCache(words[1], maximumSize: 4 << 20, maximumEntrySize: 1 << 20)
let connection = Connection(adapter: Source(), middleware: [.cache(in: store)])
while true {
  let url = "http://host/\(Int.random(in: 0..<count))"
  let response = try await connection.get(url) { $0.options.cache = .reload }
  // The other writer, or making room, may have removed the index meanwhile; the store itself must not fail.
  guard response.cacheResult?.storing != .notStored(.storeFailed) else { exit(1) }
  guard response.cacheResult?.storing == .stored else { continue }
  // Ends with whoever has started it.
  if write(1, ".", 1) != 1 { exit(0) }
}
