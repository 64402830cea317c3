internal import FaradayCore

/// A server that responds to each request with its target, and on the first connections sends unsolicited bytes when the responses
/// have been read: bytes that must not become a response.
final class TalkativeServer: Sendable {
  /// How the response to the first request on a connection ends.
  struct Answer: Sendable {
    let name: String
    var method = HTTPRequest.Method.get
    var status = "200 OK"
    /// Framing and body.
    let rest: @Sendable (_ body: String) -> String

    static let length = Answer(name: "a body of known length") { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }
    static let all: [Answer] = [
      .length,
      Answer(name: "a chunked body") {
        "Transfer-Encoding: chunked\r\n\r\n\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n0\r\n\r\n"
      },
      Answer(name: "204", status: "204 No Content") { _ in "\r\n" },
      Answer(name: "304", status: "304 Not Modified") { _ in "\r\n" },
      Answer(name: "HEAD", method: .head) { "Content-Length: \($0.utf8.count)\r\n\r\n" },
    ]

    func text(for target: String) -> String { "HTTP/1.1 \(status)\r\nX-Target: \(target)\r\n" + rest(target) }
  }

  /// Opened when the client has read its responses: then the server sends the unsolicited bytes.
  let areRead = Gate()
  /// The method and target of every request, in order.
  let requests = Log<String>()
  let server: RawServer
  private let said = Log<Int>()
  private let count: Int

  /// - Parameters:
  ///   - count: the number of connections with unsolicited bytes. Their first requests get responses when all have arrived.
  ///   - more: the unsolicited bytes.
  ///   - late: the bytes that are sent if the connection is reused.
  init(
    _ security: Security = .plain, _ answer: Answer = .length, connections count: Int = 1, late: String = "",
    more: @escaping @Sendable (RawConnection) throws -> Void
  ) throws {
    self.count = count
    let areHere = Gate()
    server = try security.server { [areRead, requests, said] connection in
      let isSpoilt = connection.index < count
      for round in 0... {
        let target = try Self.readRequest(connection, requests)
        if isSpoilt && round == 0 {
          if requests.elements.count == count { areHere.open() }
          guard areHere.wait() else { return }
          try connection.send(answer.text(for: target))
          guard areRead.wait() else { return }
          // The closure can end the connection for the server too.
          defer { said.append(connection.index) }
          try more(connection)
        } else {
          try connection.send((isSpoilt && round == 1 ? late : "") + Answer.length.text(for: target))
        }
      }
    }
  }

  /// Sends the unsolicited bytes on all of them; returns when they were sent.
  func sayMore() async {
    areRead.open()
    await until { said.elements.count == count }
  }

  private static func readRequest(_ connection: RawConnection, _ requests: Log<String>) throws -> String {
    let head = try connection.readHead()
    let words = head.split(separator: " ")
    if words[0] == "POST" { _ = try connection.read(exactly: TalkativeServer.content.utf8.count) }
    requests.append("\(words[0]) \(words[1])")
    return String(words[1])
  }

  /// The body of every POST.
  static let content = "content"
}

extension Connection {
  /// Sends a request to a ``TalkativeServer``, and checks that the response is its own.
  func ask(
    _ method: HTTPRequest.Method = .get, _ target: String, file: String = #fileID, line: Int = #line
  ) async throws {
    let body: Body = method == .post ? .text(TalkativeServer.content) : .empty
    let response = try await send(method, target, body: body)
    try expectEqual(response.headers[try require(.init("X-Target"))], "/" + target, file: file, line: line)
    let hasBody = method != .head && response.status == .ok
    try expectEqual(try await response.body.utf8Text(), hasBody ? "/" + target : "", file: file, line: line)
  }
}
