import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The leak matrix on the wire: every way to another server by every kind of secret, over both adapters.
@Suite struct SentLeakTests {
  enum WayOut: String, CaseIterable {
    case redirect = "a redirect"
    case absolutePath = "an absolute path"
    case editedURL = "a URL that is edited, and options replaced"
    case replacedOptions = "a redirect, options replaced"
    case typedRequest = "a redirected typed request, options replaced"
    case madeAnew = "a request that a middleware makes anew"
    case rewritten = "a URL that a middleware rewrites"

    /// Whether it forwards the request's own fields and body.
    var isRedirect: Bool { [.redirect, .replacedOptions, .typedRequest].contains(self) }
  }

  struct Cell: CustomTestStringConvertible {
    let way: WayOut
    let secret: LeakedSecret
    let tested: TestedAdapter
    var testDescription: String { "\(way.rawValue), \(secret.rawValue), \(tested.rawValue)" }
  }

  /// A body is no connection's: without a redirect it goes where its caller sends it.
  static let cells = WayOut.allCases.flatMap { way in
    LeakedSecret.allCases.filter { $0.content == nil || way.isRedirect }.flatMap { secret in
      TestedAdapter.allCases.map { Cell(way: way, secret: secret, tested: $0) }
    }
  }

  @Test(arguments: cells)
  func `no secret is sent to another server`(cell: Cell) async throws {
    let away = try WireTap()
    let place = away.url + "/there"
    let home = try WireTap(redirectingTo: place)
    try await leave(by: cell.way, cell.secret, from: home.url, to: place, over: cell.tested.adapter)
    // URLSession keeps a URL's password to itself.
    if cell.secret != .urlPassword || cell.tested == .curl {
      #expect(LeakedSecret.isIn(home.received.joined()), "home: \(home.received)")
    }
    #expect(away.received.count == 1 && !LeakedSecret.isIn(away.received.joined()), "\(away.received)")
  }

  private func leave(
    by way: WayOut, _ secret: LeakedSecret, from home: String, to place: String, over adapter: any Adapter
  ) async throws {
    let url = try #require(URL(string: place))
    var slow = Options()
    slow.timeouts.total = .seconds(60)
    // Middleware that makes or shares requests is in the list: it must leak nothing.
    let connection = try secret.connection(
      home, adapter, .redirects(), .hedging(after: .seconds(60)), .coalescing, try middleware(way, leadingTo: url), .coalescing)
    if !way.isRedirect { _ = try await connection.send(secret.method, secret.path("stay"), body: secret.body) }
    switch way {
    case .redirect: _ = try await connection.send(secret.method, secret.path("leave"), body: secret.body)
    case .replacedOptions:
      _ = try await connection.send(secret.method, secret.path("leave"), body: secret.body) { [slow] in $0.options = slow }
    case .absolutePath: _ = try await connection.get(place)
    case .editedURL:
      var request = try connection.request(.get, secret.path("stay")) { [slow] in $0.options = slow }
      request.url = url
      _ = try await connection.send(request)
    case .typedRequest:
      let request = TypedRequest(secret.method, baseURL: secret.base(home), endpoint: secret.path("leave"))
        .sending(.body(secret.body)).configured { [slow] in $0 = slow }
      _ = try await connection.perform(request)
    case .madeAnew, .rewritten: _ = try await connection.get(secret.path("elsewhere"))
    }
  }

  /// Redirects requests for another place to the URL.
  private func middleware(_ way: WayOut, leadingTo url: URL) throws -> any Middleware {
    .closure { request, next in
      guard request.url.absoluteString.contains("elsewhere") else { return try await next(request) }
      if way == .madeAnew { return try await next(Request(request.method, url: url, headers: request.headers)) }
      var request = request
      request.url = url
      return try await next(request)
    }
  }

  // MARK: credentials that a middleware adds below

  @Test(arguments: WayOut.allCases, TestedAdapter.allCases)
  func `no secret that a middleware adds is sent to another server`(way: WayOut, tested: TestedAdapter) async throws {
    let away = try WireTap()
    let place = away.url + "/there"
    let url = try #require(URL(string: place))
    let home = try WireTap(redirectingTo: place)
    for credentials: any Middleware in [
      .authorization(.bearer(LeakedSecret.value)), .tokenRefresh(token: LeakedSecret.value) { _ in LeakedSecret.value },
      .defaultHeaders([.authorization: LeakedSecret.value, .cookie: LeakedSecret.value]),
    ] {
      var connection = try Connection(
        home.url + "/", adapter: tested.adapter, middleware: [.redirects(), try middleware(way, leadingTo: url)])
      connection.use(credentials)
      let slow = Options()
      switch way {
      case .redirect: _ = try await connection.get("leave")
      case .replacedOptions: _ = try await connection.get("leave") { $0.options = slow }
      case .absolutePath: _ = try await connection.get(place)
      case .editedURL:
        var request = try connection.request(.get) { $0.options = slow }
        request.url = url
        _ = try await connection.send(request)
      case .typedRequest:
        _ = try await connection.perform(TypedRequest(baseURL: home.url, endpoint: "leave").configured { $0 = slow })
      case .madeAnew, .rewritten: _ = try await connection.get("elsewhere")
      }
    }
    #expect(away.received.count == 3 && !LeakedSecret.isIn(away.received.joined()), "\(away.received)")
  }
}
