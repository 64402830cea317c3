package import FaradayTesting
private import Synchronization

/// Responds to each request, and records it.
package final class AnsweringServer: Sendable {
  package let heads = Log<String>()
  private let server: RawServer

  package var url: String { server.url }
  package var requestCount: Int { heads.elements.count }

  /// - Parameter answer: the whole response to a request, of which it gets the head, the body, whose length the head must say,
  ///   and how many came before it; an empty one closes the connection instead. Called on the connection's thread.
  package init(_ answer: @escaping @Sendable (_ head: String, _ body: [UInt8], _ index: Int) -> String) throws {
    let heads = heads
    let next = Mutex(0)
    server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let length = head.lowercased().firstMatch(of: #/content-length: ([0-9]+)/#).flatMap { Int($0.output.1) } ?? 0
        let body = try connection.read(exactly: length)
        heads.append(head)
        let index = next.withLock { index in
          defer { index += 1 }
          return index
        }
        let answer = answer(head, body, index)
        guard !answer.isEmpty else { return connection.close() }
        try connection.send(answer)
      }
    }
  }

  /// Gives these in their order, the last one to all that follow.
  package convenience init(_ answers: [String]) throws {
    try self.init { _, _, index in answers[min(index, answers.count - 1)] }
  }

  /// A whole response.
  package static func answer(_ status: Int, _ fields: String..., body: String = "") -> String {
    answer(status, fields: fields, body: body)
  }

  /// A whole response.
  package static func answer(_ status: Int, fields: [String], body: String = "") -> String {
    let fields = (fields + ["Content-Length: \(body.utf8.count)"]).map { $0 + "\r\n" }.joined()
    return "HTTP/1.1 \(status) Reason\r\n\(fields)\r\n\(body)"
  }
}
