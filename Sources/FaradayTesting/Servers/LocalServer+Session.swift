extension LocalServer {
  /// One connection and the requests on it, one after the other. For the connection's thread.
  final class Session {
    let socket: SocketConnection
    let reply: ReplyWriter
    let connectionIndex: Int
    private(set) var requestIndex = -1

    private let input: InputBuffer
    private let requests: Counter
    private let log: (@Sendable (String) -> Void)?

    init(_ socket: SocketConnection, index: Int, requests: Counter, log: (@Sendable (String) -> Void)?) {
      self.socket = socket
      connectionIndex = index
      input = InputBuffer(socket)
      reply = ReplyWriter(socket)
      self.requests = requests
      self.log = log
    }

    /// Responds to requests until the connection ends.
    func run() {
      do {
        while try serveNext() {}
      } catch {
        // The client closed the connection or the server was stopped: no response is possible.
      }
    }

    /// Serves one request. Returns false if the connection must be closed.
    private func serveNext() throws -> Bool {
      var request: Request?
      reply.reset()
      defer { note(request) }
      do {
        guard let head = try input.readHead(HTTPHead.init) else { return false }
        requestIndex += 1
        requests.add()
        reply.prepare(for: head)
        let current = Request(head: head, body: HTTPBody(head, socket, input))
        request = current
        try answer(current)
      } catch let error as BadRequest {
        reply.closes = true
        if !reply.hasBegun { try reply.send(error.status, text: "\(error)\n") }
      }
      if reply.closes { try input.linger(on: socket, isClean: request?.body.isFinished == true) }
      return !reply.closes
    }

    private func note(_ request: Request?) {
      guard let log, request != nil || reply.hasBegun else { return }
      let name = request.map { "request \(requestIndex): \($0.head.method) \($0.head.target)" } ?? "malformed request"
      log("connection \(connectionIndex) \(name) -> \(reply.hasBegun ? String(reply.status) : "nothing")")
    }

    /// Blocks until the client closes, or the server is stopped.
    func waitForClose() throws {
      repeat { input.consume(input.unread.count) } while try input.fill()
      reply.closes = true
    }
  }

  /// A request whose body may not have arrived yet.
  struct Request {
    let head: HTTPHead
    let body: HTTPBody

    /// The path's parts between slashes, decoded.
    var segments: [String] {
      get throws {
        try head.path.split(separator: "/").map { segment in
          guard let text = percentDecoded(segment) else { throw BadRequest(400, "the path cannot be decoded") }
          return text
        }
      }
    }

    /// The query's pairs in order, decoded.
    var query: [(name: String, value: String)] {
      get throws {
        guard let pairs = queryPairs(head.query ?? "") else { throw BadRequest(400, "the query cannot be decoded") }
        return pairs
      }
    }

    /// The query's first value with this name.
    func value(_ name: String) throws -> String? { try query.first { $0.name == name }?.value }

    /// The number in the query with this name; nil if it is absent.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
      try value(name).map { try parseNumber($0, in: range) }
    }
  }

  /// A number from the path or the query.
  static func parseNumber(_ text: String, in range: ClosedRange<Int>) throws -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw BadRequest(400, "\(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
