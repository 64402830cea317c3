import Faraday
import FaradayCache
import FaradayCurl
import Foundation

// `run` starts this program, and the server before it.
let url = CommandLine.arguments.last ?? ""
let bare = try Connection(url, adapter: CurlAdapter(.init(proxy: .direct)))
let standard = try Connection(url, adapter: CurlAdapter(.init(proxy: .direct)), middleware: .standard)
let document = try JSONValue(
  data: JSONValue.array((0..<500).map { ["id": $0, "name": "a name that is not short", "tags": ["a", "b"]] as JSONValue }).data()
).data()
/// Objects and arrays, and all that is in them.
let values = 1 + 500 * 6

try await Count.report([
  Count("a small GET", limit: 75) {
    try await repeating(200) { _ = try await bare.get("hello") }
  },
  Count("a small GET through the standard middleware", limit: 86) {
    try await repeating(200) { _ = try await standard.get("hello") }
  },
  Count("a middleware that does nothing", limit: 0.5) {
    let (few, many) = (instant([]), instant(Array(repeating: PassThrough(), count: 50)))
    let without = try await repeating(200) { _ = try await few.get("") }
    return try await (repeating(200) { _ = try await many.get("") } - without) / 50
  },
  Count("the standard middleware over an adapter that answers at once", limit: 7) {
    let (few, many) = (instant([]), instant(.standard))
    let without = try await repeating(200) { _ = try await few.get("") }
    return try await repeating(200) { _ = try await many.get("") } - without
  },
  Count("a response out of the cache", limit: 17) {
    let connection = instant([HTTPCache()])
    return try await repeating(200) { _ = try await connection.get("kept") }
  },
  // How large the pieces are depends on how fast the other side is: these are bounds.
  Count("a MiB by callback", limit: 100) {
    try await repeating(2) { _ = try await bare.get("bytes/33554432") { $0.options.onChunk = { _ in .continue } } } / 32
  },
  Count("a MiB streamed", limit: 200) {
    try await repeating(2) {
      for try await _ in try await bare.get("bytes/33554432", edit: { $0.options.delivery = .streamed }).body {}
    } / 32
  },
  Count("a JSON value that is parsed", limit: 0.6) {
    try await repeating(20) { _ = try JSONValue(data: document) } / Double(values)
  },
])

/// A connection over an adapter that sends nothing.
func instant(_ middleware: [any Middleware]) -> Connection {
  Connection(url: URL(filePath: "/"), adapter: Instant(), middleware: middleware)
}

struct PassThrough: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response { try await next(request) }
}

struct Instant: Adapter {
  let capabilities = Capabilities.all
  let headers: HTTPFields = [.cacheControl: "max-age=3600", .contentType: "text/plain"]

  func send(_ request: Request) async throws -> Response {
    Response(status: .ok, headers: headers, body: "Hello, world!", url: request.url)
  }
}
