import TestSupport
import FaradayTesting
import Synchronization

/// Responds to each target with its page, and with 404 otherwise. Records the request heads.
final class PageServer: Sendable {
  struct Page: Sendable, ExpressibleByStringInterpolation {
    var status = 200
    var fields = ["Content-Type: application/hal+json"]
    var body = ""

    init(status: Int = 200, _ fields: String..., body: String = "") {
      self.status = status
      self.fields = fields
      self.body = body
    }

    init(stringLiteral body: String) { self.body = body }

    var text: String { AnsweringServer.answer(status, fields: fields, body: body) }
  }

  private final class Pages: Sendable {
    let all: Mutex<[String: Page]>
    init(_ pages: [String: Page]) { all = Mutex(pages) }
  }

  private let pages: Pages
  private let server: AnsweringServer

  var url: String { server.url }

  /// The requested targets.
  var targets: [String] { server.heads.elements.map { String($0.split(separator: " ")[1]) } }

  /// The methods and targets.
  var requests: [String] { server.heads.elements.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } }

  /// The value of a field of each request, or nil.
  func values(_ name: String) -> [String?] {
    server.heads.elements.map { head in
      let lines = head.split(separator: "\r\n").map { $0.split(separator: ":", maxSplits: 1) }
      let line = lines.first { $0.count == 2 && $0[0].lowercased() == name.lowercased() }
      return line.map { String($0[1].drop { $0 == " " }) }
    }
  }

  init(_ pages: [String: Page] = [:]) throws {
    let pages = Pages(pages)
    self.pages = pages
    server = try AnsweringServer { head, _, _ in
      let target = String(head.split(separator: " ")[1])
      return (pages.all.withLock { $0[target] } ?? Page(status: 404)).text
    }
  }

  /// Has a page from now on, which may name this server.
  func add(_ target: String, _ page: Page) { pages.all.withLock { $0[target] = page } }
}
