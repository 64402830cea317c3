import Faraday
import FaradayCurl
import Glibc

// Uploads a file and shows how far it is: `example-upload FILE URL` waits for it, `example-upload --promise FILE URL` is called
// back.

/// One line, written over and over.
@Sendable func show(_ bytes: Int64, _ fraction: Double?) {
  let line = "\r\(bytes) bytes, \(fraction.map { "\(Int($0 * 100)) %" } ?? "of unknown many")   "
  write(1, line, line.utf8.count)
}

func withAsync(_ connection: Connection, _ file: Body) async throws {
  let response = try await connection.put(body: file) { request in
    request.options.onUploadProgress = { show($0.bytes, $0.fraction) }
  }
  print("\n\(response.status) \(try await response.body.utf8Text())")
}

func withPromise(_ connection: Connection, _ file: Body, to url: String) -> Promise<TypedResponse<String>> {
  let upload = TypedRequest(.put, baseURL: url, receiving: .text).sending(.body(file))
  return connection.promise { try await $0.perform(upload, onProgress: $1) }
    .progress { show($0.bytes, $0.fraction) }
    .onSuccess { done in print("\n\(done.status) \(done.value)") }
    .onFailure { error in print("\nexample-upload: \(error)") }
}

var arguments = Array(CommandLine.arguments.dropFirst())
let usesPromise = arguments.first == "--promise"
if usesPromise { arguments.removeFirst() }
guard arguments.count == 2 else {
  print("usage: example-upload [--promise] FILE URL")
  exit(2)
}
do {
  let connection = try Connection(arguments[1], adapter: CurlAdapter(), middleware: [.statusValidation])
  let file = try Body.file(arguments[0])
  if usesPromise {
    _ = try await withPromise(connection, file, to: arguments[1]).value
  } else {
    try await withAsync(connection, file)
  }
} catch {
  print("\nexample-upload: \(error)")
  exit(1)
}
