import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import Synchronization

/// A mock server with a cache before it, and a wall clock that a test sets.
final class CachedServer: Sendable {
  let mock = MockAdapter()
  let store: any CacheStore
  private let cache: HTTPCache
  private let answers = Log<Int>()

  /// 2026-01-01 00:00:00.
  static let start = 1_767_225_600.0

  init(store: any CacheStore = MemoryCache(), policy: HTTPCache.Policy = HTTPCache.Policy()) {
    let clock = Clock()
    self.clock = clock
    self.store = store
    cache = HTTPCache(in: store, policy: policy) { Date(timeIntervalSince1970: clock.now) }
  }

  final class Clock: Sendable {
    private let seconds = Mutex(CachedServer.start)
    var now: Double {
      get { seconds.withLock { $0 } }
      set { seconds.withLock { $0 = newValue } }
    }
  }

  let clock: Clock

  func advance(by count: Double) { clock.now += count }

  /// A date in the format of HTTP, so many seconds from the start.
  static func date(_ offset: Int) -> String {
    let (day, rest) = (offset >= 0 ? offset / 86_400 : (offset - 86_399) / 86_400, ((offset % 86_400) + 86_400) % 86_400)
    let text = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(text(rest / 3600)):\(text(rest / 60 % 60)):\(text(rest % 60))"
    // Days around the first of January are all that tests need.
    return day >= 0 ? "Thu, \(text(1 + day)) Jan 2026 \(time) GMT" : "Wed, \(text(32 + day)) Dec 2025 \(time) GMT"
  }

  /// Answers every request with these fields and a body that counts the answers: `body 1`.
  func answer(_ headers: HTTPFields, status: HTTPResponse.Status = .ok, times: Int = .max) {
    mock.stub(times: times) { [answers] request in
      answers.append(1)
      return Response(status: status, headers: headers, body: .text("body \(answers.elements.count)"), url: request.url)
    }
  }

  /// Answers by a closure.
  func answer(times: Int = .max, _ respond: @escaping MockAdapter.Responder) { mock.stub(times: times, respond: respond) }

  func connection(_ outer: [any Middleware] = [], below: [any Middleware] = []) throws -> Connection {
    try Connection("http://host/", adapter: mock, middleware: outer + [cache] + below)
  }

  @discardableResult
  func get(_ path: String = "a", headers: HTTPFields = [:], mode: CacheMode = .automatic) async throws -> Response {
    try await connection().get(path) {
      $0.headers = headers
      $0.options.cache = mode
    }
  }

  /// The outcome of a GET in short form: `body 1, hit`.
  func look(_ path: String = "a", headers: HTTPFields = [:], mode: CacheMode = .automatic) async throws -> String {
    let response = try await get(path, headers: headers, mode: mode)
    let text = try await response.body.utf8Text()
    return (text.isEmpty ? "\(response.status.code)" : text) + ", " + (response.cacheResult?.description ?? "nothing")
  }

  func send(_ method: HTTPRequest.Method, _ path: String = "a", headers: HTTPFields = [:]) async throws -> Response {
    let connection = try connection()
    return try await connection.send(connection.request(method, path) { $0.headers = headers })
  }

  func revalidationsEnded() async { await cache.revalidationsEnded() }

  /// How many requests have reached the server.
  var count: Int { mock.recorded.count }

  /// The values of a field in the requests that have reached the server.
  func sent(_ name: HTTPField.Name) -> [String?] { mock.recorded.map { $0.request.headers[name] } }
}
