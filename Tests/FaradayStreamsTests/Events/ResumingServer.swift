import FaradayTesting
import Synchronization

/// A server of an event stream that keeps its events, cuts its first connections at random bytes, and goes on behind
/// `Last-Event-ID`.
final class ResumingServer: Sendable {
  struct Tally {
    /// Connections so far, and how many of them were cut: within an event, and within a character.
    var connections = 0
    var cuts = 0
    var cutsInEvents = 0
    var cutsInCharacters = 0
    var generator: SeededGenerator
  }

  private final class Shared: Sendable {
    let tally: Mutex<Tally>
    init(_ tally: Tally) { self.tally = Mutex(tally) }
  }

  private let server: RawServer
  private let shared: Shared

  var url: String { server.url }
  var tally: Tally { shared.tally.withLock { $0 } }

  /// - Parameters:
  ///   - count: the number of events.
  ///   - cuts: the number of connections that are cut.
  init(count: Int, cuts: Int, seed: UInt64) throws {
    var bytes: [UInt8] = Array("retry: 0\n".utf8)
    var starts: [Int] = []
    for number in 1...count {
      starts.append(bytes.count)
      bytes += Array(Self.text(number).utf8)
    }
    starts[0] = 0
    let (stream, begins) = (bytes, starts)
    let shared = Shared(Tally(generator: SeededGenerator(seed: seed)))
    self.shared = shared
    server = try RawServer { connection in
      let head = try connection.readHead()
      let last = head.firstMatch(of: #/(?i)\r\nlast-event-id: ([0-9]+)/#).flatMap { Int($0.output.1) } ?? 0
      guard last < count else { return try connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
      let start = begins[last]
      let (number, end) = shared.tally.withLock { tally -> (Int, Int) in
        defer { tally.connections += 1 }
        guard tally.cuts < cuts else { return (tally.connections, stream.count) }
        // So much that all cuts come before the end.
        var end = start + Int.random(in: 1...(2 * (stream.count - start) / (cuts - tally.cuts + 4)), using: &tally.generator)
        // Every fifth within a character.
        if tally.cuts % 5 == 0 { end = stream[end...].firstIndex { $0 & 0xC0 == 0x80 } ?? end }
        tally.cuts += 1
        if !begins.contains(end) { tally.cutsInEvents += 1 }
        if stream[end] & 0xC0 == 0x80 { tally.cutsInCharacters += 1 }
        return (tally.connections, end)
      }
      let type = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      let part = Array(stream[start..<end])
      switch number % 3 {
      case 0:
        try connection.send(Array((type + "Connection: close\r\n\r\n").utf8) + part)
      case 1:
        // Without the last chunk if it is cut.
        try connection.send(Array((type + "Transfer-Encoding: chunked\r\n\r\n\(String(part.count, radix: 16))\r\n").utf8) + part)
        try connection.send(end < stream.count ? "\r\n" : "\r\n0\r\n\r\n")
      default:
        try connection.send(Array((type + "Content-Length: \(stream.count - start)\r\n\r\n").utf8) + part)
      }
      connection.close()
    }
  }

  /// The event of that number, from 1: with every kind of line end, comments, several lines of data.
  private static func text(_ number: Int) -> String {
    switch number % 4 {
    case 0: "id: \(number)\ndata: \(number) 🦆\n\n"
    case 1: ": comment\r\nevent: tick\r\nid:\(number)\r\ndata:\(number) grüß\r\n\r\n"
    case 2: "data: \(number)\rdata: zweite Zeile …\rid: \(number)\r\r"
    default: "id: \(number)\nretry: 0\nunknown: x\ndata: \(number)\ndata\ndata: {\"a\": \"ä\"}\n\n"
    }
  }

  /// The events that a reader gets from this server.
  static func event(_ number: Int) -> (type: String, data: String) {
    switch number % 4 {
    case 0: ("message", "\(number) 🦆")
    case 1: ("tick", "\(number) grüß")
    case 2: ("message", "\(number)\nzweite Zeile …")
    default: ("message", "\(number)\n\n{\"a\": \"ä\"}")
    }
  }
}
