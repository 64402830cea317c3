import FaradayTesting
import Foundation
import Synchronization

/// A server that answers each path with fixed bytes, and keeps the bytes of every request.
final class RecordingServer: Sendable {
  /// Requests as text, in the order of their heads: the number of the connection, the head, the body. The framing of chunks is
  /// left out: it depends on how fast the client was.
  var requests: [String] { log.requests.withLock { $0 } }
  var port: Int { server.port }

  private let server: RawServer
  private let log: Log

  private final class Log: Sendable {
    let requests = Mutex<[String]>([])
    let port = Mutex(0)
  }

  init() throws {
    let log = Log()
    self.log = log
    server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let request = RecordedRequest(head)
        let place = log.requests.withLock {
          $0.append("[\(connection.index)] " + head)
          return $0.count - 1
        }
        if request.path == "/silent" { return connection.waitForClose() }
        if request.path == "/keep-alive", let client = connection.client {
          try connection.send("HTTP/1.1 200 OK\r\n\r\n")
          return try connection.send(KeepAliveTimer.text(clientPort: client.port, serverPort: log.port.withLock { $0 }))
        }
        if request.expectsContinue, !["/expect-refused", "/expect-unanswered"].contains(request.path) {
          try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        if !(request.expectsContinue && request.path == "/expect-refused") {
          let body = try Self.body(of: request, connection)
          log.requests.withLock { $0[place] += body }
        }
        if request.path == "/reset" { return connection.reset() }
        let answer = Answers.answer(to: request)
        try connection.send(answer.bytes(for: request, port: log.port.withLock { $0 }))
        if answer.closes || request.closes { return }
      }
    }
    log.port.withLock { $0 = server.port }
  }

  func stop() { server.stop() }

  private static func body(of request: RecordedRequest, _ connection: RawConnection) throws -> String {
    if let length = request.length { return text(try connection.read(exactly: length)) }
    guard request.isChunked else { return "" }
    var body: [UInt8] = []
    while true {
      let size = Int(try line(connection), radix: 16) ?? 0
      body += try connection.read(exactly: size)
      _ = try line(connection)
      if size == 0 { return "{chunked}" + text(body) }
    }
  }

  private static func line(_ connection: RawConnection) throws -> String {
    var line: [UInt8] = []
    while line.last != 0x0A { line += try connection.read(exactly: 1) }
    return text(line.dropLast(2))
  }

  /// Large bodies are compared by their size and start.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    bytes.count <= 100_000
      ? String(decoding: bytes, as: UTF8.self) : "{\(bytes.count) bytes, the first \(Array(bytes.prefix(20)))}"
  }
}

/// A request as received by the server.
struct RecordedRequest {
  let method: String
  let target: String
  let fields: [(name: String, value: String)]

  init(_ head: String) {
    let lines = head.split(separator: "\r\n").map(String.init)
    let words = (lines.first ?? "").split(separator: " ").map(String.init)
    method = words.first ?? ""
    target = words.count > 1 ? words[1] : ""
    fields = lines.dropFirst().map { line in
      let end = line.firstIndex(of: ":") ?? line.endIndex
      return (line[..<end].lowercased(), line[end...].dropFirst().trimmingCharacters(in: .whitespaces))
    }
  }

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  var path: String {
    var path = target.prefix { $0 != "?" }
    for scheme in ["http://", "ftp://"] where path.hasPrefix(scheme) { path = path.dropFirst(scheme.count).drop { $0 != "/" } }
    return String(path)
  }
  var length: Int? { self["content-length"].flatMap { Int($0) } }
  var isChunked: Bool { self["transfer-encoding"] == "chunked" }
  var expectsContinue: Bool { self["expect"]?.lowercased() == "100-continue" }
  var closes: Bool { self["connection"]?.lowercased() == "close" }
}
