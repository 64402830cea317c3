import FaradayTesting
import Glibc
import Synchronization

/// The server of a soak: answers each request as its plan says, and does to it and its connection what the plan says.
///
/// What it sends late can cross with a request that is under way already, and no client could tell. So it keeps when the
/// late bytes had left, of each request that came on such a connection, and says it to who asks for `/late/NUMBER`.
final class SoakServer: Sendable {
  private let seed: UInt64
  private let crossings = Mutex<[Int: Int]>([:])

  init(seed: UInt64) { self.seed = seed }

  func serve(_ connection: RawConnection) throws {
    let line = Late()
    while true {
      let head = try SoakHead(connection.readHead())
      let late = line.becomesBusy()
      if head.path.first == "late" { return try sayWhenLate(head.number, connection) }
      if let late { return try part(connection, head, late) }
      let plan = SoakPlan(seed: seed, number: head.number)
      if plan.fault == .silence { return }
      var received: String?
      if !plan.isEarly { received = try head.receive(connection) }
      var answer = SoakAnswer(plan, received: received)
      guard try answer.send(on: connection) else { return }
      if plan.isEarly { _ = try head.receive(connection) }
      if plan.framing == .untilClose { return }
      line.isFree(plan, connection)
    }
  }

  /// Ends a connection on which a request has met late bytes. They may have been its answer, for all the client could tell;
  /// then it has kept the connection, and another request may meet the end.
  private func part(_ connection: RawConnection, _ head: SoakHead, _ late: Int) throws {
    crossings.withLock { $0[head.number] = max(late, $0[head.number] ?? 0) }
    connection.halfClose()
    let end = monotonicNanoseconds()
    var head = head
    while true {
      _ = try head.receive(connection)
      head = try SoakHead(connection.readHead())
      crossings.withLock { $0[head.number] = end }
    }
  }

  /// The nanosecond by which they had left, or nothing. The request may be on its way still.
  private func sayWhenLate(_ number: Int, _ connection: RawConnection) throws {
    var when: Int?
    for _ in 0..<100 {
      when = crossings.withLock { $0[number] }
      if when != nil { break }
      usleep(5000)
    }
    let text = when.map { "\($0)" } ?? "-"
    try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
  }

  /// A connection between two requests, on which something late may come.
  private final class Late: Sendable {
    private let state = Mutex<(isBusy: Bool, turn: Int, sent: Int?)>((false, 0, nil))

    /// A request has come; when late bytes had left before that.
    func becomesBusy() -> Int? {
      state.withLock {
        $0.isBusy = true
        $0.turn += 1
        return $0.sent
      }
    }

    /// The response has left.
    func isFree(_ plan: SoakPlan, _ connection: RawConnection) {
      let turn = state.withLock {
        $0.isBusy = false
        return $0.turn
      }
      guard plan.fault.isLate else { return }
      Task {
        try await Task.sleep(for: .microseconds(plan.lateness))
        try state.withLock {
          guard !$0.isBusy, $0.turn == turn else { return }
          switch plan.fault {
          case .lateResponse: try connection.send(SoakAnswer.stranger)
          case .lateTimeout:
            try connection.send(
              "HTTP/1.1 408 Request Timeout\r\nX-Number: late\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            connection.halfClose()
          case .lateByte: try connection.send("x")
          default: connection.halfClose()
          }
          $0.sent = monotonicNanoseconds()
        }
      }
    }
  }

  /// Serves until the standard input ends; the seed is the last word of the command line.
  static func run(seed: UInt64) throws {
    let soak = SoakServer(seed: seed)
    let server = try RawServer { try soak.serve($0) }
    let url = server.url
    write(1, url, url.utf8.count)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    server.stop()
  }
}

/// A request's head as far as a soak needs it: `METHOD /KIND/NUMBER`, and how its body is framed.
struct SoakHead {
  let path: [Substring]
  let number: Int
  private let length: Int
  private let isChunked: Bool

  init(_ text: String) throws {
    let lines = text.lowercased().split(separator: "\r\n")
    path = (lines.first?.split(separator: " ").dropFirst().first ?? "").split(separator: "/")
    guard let number = path.last.flatMap({ Int($0) }) else { throw Wrong("a request without a number: \(lines.first ?? "")") }
    self.number = number
    length = lines.lazy.compactMap { $0.split(separator: "content-length: ").first.flatMap { Int($0) } }.first ?? 0
    isChunked = lines.contains("transfer-encoding: chunked")
  }

  /// Reads the body, and gives its checksum.
  func receive(_ connection: RawConnection) throws -> String {
    var sum = Checksum()
    func take(_ count: Int) throws {
      var left = count
      while left > 0 {
        let piece = try connection.readSome(upTo: left)
        if piece.isEmpty { throw Wrong("the request was cut") }
        left -= piece.count
        sum.add(piece)
      }
    }
    guard isChunked else {
      try take(length)
      return sum.text
    }
    while true {
      var size: [UInt8] = []
      while size.last != UInt8(ascii: "\n") { size += try connection.read(exactly: 1) }
      let count = Int(String(decoding: size.dropLast(2), as: UTF8.self), radix: 16) ?? 0
      try take(count)
      _ = try connection.read(exactly: 2)
      if count == 0 { return sum.text }
    }
  }
}

/// Nanoseconds since some moment in the past, the same one for all processes.
func monotonicNanoseconds() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}
