import TestSupport
import FaradayTesting

/// A small REST service: posts, and pictures for them.
final class PostsServer: Sendable {
  struct Post: Codable, Equatable, Sendable {
    var id: Int
    var title: String
  }

  struct Arrived: Sendable {
    let head: String
    let body: [UInt8]

    var line: Substring { head.prefix { !$0.isNewline } }
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let arrived = Log<Arrived>()
  private let server: AnsweringServer

  var url: String { server.url }

  /// Responds to `GET /posts/ID` and `POST /posts` with a post, and accepts `/posts/ID/picture`. Other requests get a 404.
  init() throws {
    let arrived = arrived
    server = try AnsweringServer { head, body, _ in
      let request = Arrived(head: head, body: body)
      arrived.append(request)
      return Self.answer(request)
    }
  }

  private static func answer(_ request: Arrived) -> String {
    let words = request.line.split(separator: " ")
    let path = words.dropFirst().first?.split(separator: "/") ?? []
    switch (words.first, path.count, path.last) {
    case ("GET", 2, let id?):
      return AnsweringServer.answer(200, "Content-Type: application/json", body: #"{"id":\#(id),"title":"Hello"}"#)
    case ("POST", 1, _): return AnsweringServer.answer(201, "Content-Type: application/json", body: request.text)
    case ("POST", 3, _): return AnsweringServer.answer(200)
    default: return AnsweringServer.answer(404)
    }
  }
}
