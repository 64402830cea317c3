import Faraday
import FaradayTesting
import Synchronization

/// Responds to each target with its page, and with 404 otherwise.
final class PageServer: Sendable {
  /// A response; a literal is one of HAL.
  struct Page: Sendable, ExpressibleByStringInterpolation {
    let response: Response

    init(_ response: Response) { self.response = response }
    init(stringLiteral body: String) { response = .text(body, type: MediaType("application", "hal+json")) }
  }

  private final class Pages: Sendable {
    let all: Mutex<[String: Page]>
    init(_ pages: [String: Page]) { all = Mutex(pages) }
  }

  private let pages: Pages
  private let server: MockServer

  var url: String { server.url }

  /// The methods and targets.
  var requests: [String] { server.recorded.map(\.line) }

  /// The requested targets.
  var targets: [String] { requests.map { String($0.split(separator: " ")[1]) } }

  /// The value of a field of each request, or nil.
  func values(_ name: String) -> [String?] { server.recorded.map { $0.headers[name] } }

  init(_ pages: [String: Page] = [:]) throws {
    let pages = Pages(pages)
    self.pages = pages
    server = try MockServer { request in
      let target = String(request.line.split(separator: " ")[1])
      return pages.all.withLock { $0[target]?.response } ?? .status(.notFound)
    }
  }

  /// Has a page from now on, which may name this server.
  func add(_ target: String, _ page: Page) { pages.all.withLock { $0[target] = page } }
}
