import FaradayTesting
import Glibc

/// A response of a soak's server: its number in head and body, the checksum of its content, and as many pieces as chance has it.
struct SoakAnswer {
  private let plan: SoakPlan
  private var random: SplitMix
  private var head = ""
  private var body: [UInt8] = []

  /// A whole response that belongs to no request.
  static let stranger =
    "HTTP/1.1 200 OK\r\nX-Number: late\r\nX-Sum: \(Checksum.text(of: "late".utf8))\r\nContent-Length: 4\r\n\r\nlate"

  /// - Parameter received: the checksum of the request's body, if it was read.
  init(_ plan: SoakPlan, received: String?) {
    self.plan = plan
    random = plan.rest
    let content = plan.content
    let coded = plan.isGzipped ? Gzip.stored(content) : content
    var head = plan.status == 204 ? "HTTP/1.1 204 No Content\r\n" : "HTTP/1.1 200 OK\r\n"
    head += "X-Number: \(plan.number)\r\nX-Sum: \(Checksum.text(of: content))\r\n"
    if let received { head += "X-Received: \(received)\r\n" }
    if plan.isGzipped { head += "Content-Encoding: gzip\r\n" }
    switch plan.framing {
    case _ where plan.status == 204: break
    case .untilClose:
      head += "Connection: close\r\n"
      body = coded
    case .length:
      head += "Content-Length: \(coded.count)\r\n"
      body = coded
    case .chunked:
      head += "Transfer-Encoding: chunked\r\n"
      if plan.hasTrailers { head += "Trailer: X-Trailer\r\n" }
      if plan.method != "HEAD" { body = chunked(coded) }
    }
    self.head = head + "\r\n"
  }

  /// In chunks of random sizes, some with an extension, some with a trailer behind them.
  private mutating func chunked(_ content: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = content[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(.random(in: 1...max(1, min(rest.count, 20_000)), using: &random))
      rest = rest.dropFirst(chunk.count)
      let isExtended = Int.random(in: 0..<8, using: &random) == 0
      result += Array("\(String(chunk.count, radix: 16))\(isExtended ? ";name=value" : "")\r\n".utf8)
      result += chunk
      result += Array("\r\n".utf8)
    }
    return result + Array((plan.hasTrailers ? "0\r\nX-Trailer: \(plan.number)\r\n\r\n" : "0\r\n\r\n").utf8)
  }

  /// Sends it in random pieces, some after a while; false if the connection has to end then.
  mutating func send(on connection: RawConnection) throws -> Bool {
    var bytes = Array(head.utf8) + body
    switch plan.fault {
    // Where libcurl decodes, and takes chunks apart for that, it does not miss the line feed at the very end.
    case .cut, .reset: bytes = Array(bytes.prefix(head.utf8.count + .random(in: 0..<max(1, body.count - 1), using: &random)))
    case .together: bytes += Array(Self.stranger.utf8)
    default: break
    }
    // What follows the body leaves with its last bytes in one piece.
    let last = plan.fault == .together ? Self.stranger.utf8.count + 1 : 0
    var rest = bytes[...]
    while rest.count > last {
      let count =
        switch Int.random(in: 0..<3, using: &random) {
        case 0: Int.random(in: 1...rest.count - last, using: &random)
        case 1: min(rest.count - last, head.utf8.count)
        default: rest.count - last
        }
      try connection.send(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      switch Int.random(in: 0..<64, using: &random) {
      case 0: usleep(UInt32.random(in: 0..<200_000, using: &random))
      case 1..<16: usleep(UInt32.random(in: 0..<2000, using: &random))
      default: break
      }
    }
    if !rest.isEmpty { try connection.send(Array(rest)) }
    if plan.fault == .reset { connection.reset() }
    return plan.fault != .cut && plan.fault != .reset
  }
}
