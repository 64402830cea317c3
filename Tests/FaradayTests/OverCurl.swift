import Faraday
import FaradayCurl

/// A program of the article "Getting started".
func overCurl(server: String, path: String) async throws -> Int64 {
  let connection = try Connection(server, adapter: CurlAdapter())
  let stored = try await connection.put("upload", body: .file(path)) {
    $0.options.onUploadProgress = { progress in print(progress.bytes, "bytes sent") }
    $0.options.timeouts.total = .seconds(60)
  }
  print(stored.status, try await stored.body.utf8Text())

  let copy = try await connection.get("bytes/1000000") { $0.options.delivery = .streamed }
  var count: Int64 = 0
  for try await piece in copy.body { count += Int64(piece.count) }
  return count
}
