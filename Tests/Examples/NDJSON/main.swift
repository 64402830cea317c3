import Faraday
import FaradayCurl
import FoundationEssentials
import Glibc

// Reads newline-delimited JSON of any length as it arrives, in constant memory: `example-ndjson URL` counts the lines, decodes
// those that are errors, and prints the last of them. A line is looked at where libcurl has put it, without a copy.

struct Event: Decodable {
  let level: String
  let message: String
}

struct Summary {
  var lines = 0
  var bytes = 0
  var errors = 0
  var lastError: String?

  mutating func add(_ line: RawSpan) throws {
    lines += 1
    bytes += line.byteCount + 1
    guard line.starts(with: #"{"level":"error""#) else { return }
    errors += 1
    lastError = try line.withUnsafeBytes { try JSONDecoder().decode(Event.self, from: Data($0)).message }
  }
}

extension RawSpan {
  func starts(with prefix: StaticString) -> Bool {
    guard byteCount >= prefix.utf8CodeUnitCount else { return false }
    return withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0 } ?? false
    }
  }
}

guard CommandLine.arguments.count == 2 else {
  print("usage: example-ndjson URL")
  exit(2)
}
do {
  let lines = LineSplitter(into: Summary()) { summary, line in
    try summary.add(line)
    return .continue
  }
  let connection = try Connection(CommandLine.arguments[1], adapter: CurlAdapter(), middleware: [.statusValidation])
  let clock = ContinuousClock()
  let start = clock.now
  _ = try await connection.get { $0.options.onChunk = lines.take }
  let found = try lines.finish()
  let time = clock.now - start
  print("\(found.lines) lines, \(found.bytes) bytes, \(found.errors) errors in \(time)")
  if let message = found.lastError { print("last error: \(message)") }
} catch {
  print("example-ndjson: \(error)")
  exit(1)
}
