public import FaradayCore

extension MockAdapter {
  /// Answers requests that match, at most `times` of them, with what the closure makes.
  public func stub(
    times: Int = .max, where matches: @escaping Matcher = { _ in true }, respond: @escaping Responder
  ) {
    add(Stub(pattern: .closure(matches), left: times, respond: respond))
  }

  /// Answers requests with that method and path, at most `times` of them, with a fixed response. Throws ``InvalidStub`` for a path
  /// or a host that no URL has, as no request would ever match.
  ///
  /// - Parameters:
  ///   - host: whose requests alone, also with a port: `api.example.com`, `127.0.0.1:8080`. Any host's if it is nil.
  ///   - path: as it stands in a URL: from its slash on, percent-encoded, without a query. What has the query `where:` can tell.
  public func stub(
    _ method: HTTPRequest.Method, host: String? = nil, path: String, status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], times: Int = .max
  ) throws(InvalidStub) {
    let route = try Route(method, host: host, path: path)
    let respond: Responder = { request in
      Response(status: status, headers: headers, body: body, trailers: trailers, url: request.url)
    }
    add(Stub(pattern: .route(route), left: times, respond: respond))
  }

  /// What is answered, how often still, and how.
  struct Stub: Sendable {
    let pattern: Pattern
    var left: Int
    let respond: Responder
  }

  enum Pattern: Sendable {
    case closure(Matcher)
    case route(Route)

    func matches(_ request: Request) -> Bool {
      switch self {
      case .closure(let matches): matches(request)
      case .route(let route): route.matches(request)
      }
    }
  }

  /// The requests that a stub with a path is for.
  struct Route: Sendable {
    private let method: HTTPRequest.Method
    /// `http://any` stands for any host.
    private let url: URL
    private let isOfAnyHost: Bool

    init(_ method: HTTPRequest.Method, host: String?, path: String) throws(InvalidStub) {
      func invalid(_ reason: String) -> InvalidStub { InvalidStub(method: method, host: host, path: path, reason: reason) }
      guard path.utf8.first == UInt8(ascii: "/") else { throw invalid("a path begins with a slash") }
      guard !path.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
        throw invalid("a path has neither a query nor a fragment: `where:` can look at them")
      }
      let asURL = URL(text: "http://any" + path)?.path(percentEncoded: true)
      guard asURL == path else { throw invalid("a path is percent-encoded, as \(asURL ?? "no URL's")") }
      guard let url = URL(string: "http://" + (host ?? "any") + path), url.path(percentEncoded: true) == path, url.user() == nil,
        (try? Target(Request(url: url))) != nil
      else { throw invalid("a host is a name or an address, and may have a port") }
      self.method = method
      self.url = url
      isOfAnyHost = host == nil
    }

    func matches(_ request: Request) -> Bool {
      let path = request.url.path(percentEncoded: true)
      guard request.method == method, (path.isEmpty ? "/" : path) == url.path(percentEncoded: true) else { return false }
      guard !isOfAnyHost else { return true }
      let port = request.url.port ?? (request.url.scheme?.lowercased() == "https" ? 443 : 80)
      return request.url.host()?.lowercased() == url.host()?.lowercased() && port == url.port ?? port
    }

    func description(_ secrets: Secrets) -> String {
      let start = isOfAnyHost ? "http://any" : "http://"
      return "\(method) \(secrets.redacting(url).dropFirst(start.utf8.count))"
    }
  }
}

/// A stub that no request could ever match. It is not there.
public struct InvalidStub: FaradayError, Equatable {
  public let method: HTTPRequest.Method
  public let host: String?
  public let path: String
  /// What is wrong with it.
  public let reason: String

  public var description: String { "no request can match a stub of \(method) \(host ?? "")\(path): \(reason)" }
}

/// A request that no stub of a strict ``MockAdapter`` matches.
public struct UnexpectedRequest: FaradayError, Equatable {
  public let method: HTTPRequest.Method
  /// Without what is secret about it.
  public let url: String
  /// What there was instead, in the order in which it is asked: methods and paths, without what is secret about them.
  public let stubs: [String]

  init(_ request: Request, stubs: [MockAdapter.Stub]) {
    let secrets = request.secrets
    method = request.method
    url = secrets.redacting(request.url).bounded()
    self.stubs = stubs.map { stub in
      let text =
        switch stub.pattern {
        case .closure: "what a closure matches"
        case .route(let route): route.description(secrets)
        }
      return stub.left > 0 ? text : text + " (used up)"
    }
  }

  public var request: RequestSummary? { RequestSummary(method: method, url: url) }

  /// The first twenty stubs are in it.
  public var description: String {
    let shown = stubs.prefix(20).joined(separator: ", ") + (stubs.count > 20 ? " and \(stubs.count - 20) more" : "")
    return "no stub for \(method) \(url); there " + (stubs.isEmpty ? "are none" : "is \(shown)")
  }
}
