import Faraday
import FaradayTesting
import Synchronization

/// A server of one file with ranges, which can break off, and which counts the bytes that it has sent.
final class RangeServer: Sendable {
  struct State {
    var content: [UInt8]
    var validator = "ETag: \"v1\""
    var hasRanges = true
    /// Further lines of each response's head.
    var fields: [String] = []
    /// After how many bytes of a body each connection breaks off; nil sends the rest.
    var cuts: [Int?] = []
    /// Answers in its own way, by the number of the request; nil does not.
    var answer: (@Sendable (Int, String) -> String?)?
    var ranges: [String?] = []
    var served = 0
  }

  let state: Mutex<State>
  private let server = Mutex<RawServer?>(nil)

  init(_ content: [UInt8], edit: (inout State) -> Void = { _ in }) throws {
    var state = State(content: content)
    edit(&state)
    self.state = Mutex(state)
    let server = try RawServer { [weak self] connection in try self?.serve(connection) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  var url: String { server.withLock { $0?.url ?? "" } + "/file" }
  /// The `Range` of each request.
  var ranges: [String?] { state.withLock { $0.ranges } }
  /// How many bytes of bodies were sent.
  var served: Int { state.withLock { $0.served } }

  private func serve(_ connection: RawConnection) throws {
    while true {
      let head = try connection.readHead()
      func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }.map {
          String($0.dropFirst(name.count + 2))
        }
      }
      let (number, state, cut) = state.withLock { state in
        state.ranges.append(field("range"))
        return (state.ranges.count, state, state.cuts.isEmpty ? nil : state.cuts.removeFirst())
      }
      if let text = state.answer?(number, head) {
        try connection.send(text)
        connection.halfClose()
        return connection.waitForClose()
      }
      let size = state.content.count
      let value = String(state.validator.split(separator: ": ", maxSplits: 1).last ?? "")
      var start = 0
      if state.hasRanges, let range = field("range"), field("if-range").map({ $0 == value }) ?? true {
        start = Int(range.dropFirst(6).dropLast()) ?? 0
      }
      let common = ([state.validator] + state.fields).map { $0 + "\r\n" }.joined()
      guard start <= size, start < size || size == 0 else {
        try connection.send(
          "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(size)\r\n\(common)Content-Length: 0\r\n\r\n")
        continue
      }
      let isPart = field("range") != nil && start > 0
      let range = isPart ? "Content-Range: bytes \(start)-\(size - 1)/\(size)\r\n" : ""
      let line = isPart ? "206 Partial Content" : "200 OK"
      try connection.send("HTTP/1.1 \(line)\r\n\(common)\(range)Content-Length: \(size - start)\r\n\r\n")
      let end = min(size, start + (cut ?? size))
      try connection.send(Array(state.content[start..<end]))
      self.state.withLock { $0.served += end - start }
      guard end == size else {
        connection.halfClose()
        return connection.waitForClose()
      }
    }
  }
}

/// A folder that goes when the test does.
final class DownloadFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path() + "/faraday-download-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { path + "/file" }
  var bytes: [UInt8]? { FileManager.default.contents(atPath: file).map(Array.init) }
  var part: [UInt8]? { FileManager.default.contents(atPath: file + ".part").map(Array.init) }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func write(_ bytes: [UInt8], to name: String = "file") throws {
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
  }
}
