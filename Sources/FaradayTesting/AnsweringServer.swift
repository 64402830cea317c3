private import Synchronization

/// Gives the answers in their order, one for each request, the last one for all that follow, and keeps what it was asked.
package final class AnsweringServer: Sendable {
  package let heads = Log<String>()
  private let server: RawServer

  package var url: String { server.url }
  package var requestCount: Int { heads.elements.count }

  /// - Parameter answers: whole responses; an empty one closes the connection instead.
  package init(_ answers: [String]) throws {
    let heads = heads
    let next = Mutex(0)
    server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let length = head.lowercased().firstMatch(of: #/content-length: ([0-9]+)/#).flatMap { Int($0.output.1) } ?? 0
        _ = try connection.read(exactly: length)
        heads.append(head)
        let answer = next.withLock { index in
          defer { index += 1 }
          return answers[min(index, answers.count - 1)]
        }
        guard !answer.isEmpty else { return connection.close() }
        try connection.send(answer)
      }
    }
  }

  /// A whole response.
  package static func answer(_ status: Int, _ fields: String..., body: String = "") -> String {
    let fields = (fields + ["Content-Length: \(body.utf8.count)"]).map { $0 + "\r\n" }.joined()
    return "HTTP/1.1 \(status) Reason\r\n\(fields)\r\n\(body)"
  }
}
