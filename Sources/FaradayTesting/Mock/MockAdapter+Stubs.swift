@_spi(Adapters) public import FaradayCore

extension MockAdapter {
  /// A mock with one closure for all requests: `MockAdapter { request in .json(["path": request.path]) }`.
  public convenience init(capabilities: Capabilities = .all, _ respond: @escaping Responder) {
    self.init(capabilities: capabilities)
    stub(respond: respond)
  }

  /// A mock with one response for each request, in their order: `MockAdapter(.status(.serviceUnavailable), .text("ok"))`.
  public convenience init(_ first: Response, _ others: Response...) {
    self.init()
    for response in [first] + others { stub(times: 1) { _ in response } }
  }

  /// Adds a stub: requests that match get the closure's response, at most `times` of them.
  public func stub(
    times: Int = .max, where matches: @escaping Matcher = { _ in true }, respond: @escaping Responder
  ) {
    add(Stub(.closure(matches), times: times, respond: respond))
  }

  /// Adds a stub with a fixed response for requests with that method and path, at most `times` of them. Throws ``MockError``
  /// for a path or host that is invalid in a URL, because it would never match.
  ///
  /// - Parameters:
  ///   - host: the host of the request, optionally with a port: `api.example.com`, `127.0.0.1:8080`. Nil, the default, matches any.
  ///   - path: the path of the request's URL, percent-encoded, with its leading slash and without a query. Any query matches; use
  ///     `where:` to check it.
  public func stub(
    _ method: HTTPRequest.Method, host: String? = nil, path: String, status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], times: Int = .max
  ) throws(MockError) {
    let route = try Route(method, host: host, path: path)
    let respond: Responder = { request in
      Response(status: status, headers: headers, body: body, trailers: trailers, url: request.url)
    }
    add(Stub(.route(route), times: times, respond: respond))
  }

  /// A stub: its condition, its remaining number of uses, and its response.
  struct Stub: Sendable {
    let pattern: Pattern
    /// Whether it has a number of uses.
    let isLimited: Bool
    var left: Int
    let respond: Responder

    init(_ pattern: Pattern, times: Int, respond: @escaping Responder) {
      self.pattern = pattern
      isLimited = times != .max
      left = times
      self.respond = respond
    }

    func description(_ secrets: Secrets) -> String {
      let text =
        switch pattern {
        case .closure: "a stub with a closure"
        case .route(let route): route.description(secrets)
        }
      return left > 0 ? text : text + " (used up)"
    }

    /// What of the request does not match; nil if that is unknown, because the stub has a closure.
    func differences(from request: Request) -> [String]? {
      switch pattern {
      case .closure: nil
      case .route(let route): route.differences(from: request)
      }
    }
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

  /// The method, host and path that a stub matches.
  struct Route: Sendable {
    private let method: HTTPRequest.Method
    /// With the host `any` if it matches any host.
    private let url: URL
    private let isOfAnyHost: Bool

    init(_ method: HTTPRequest.Method, host: String?, path: String) throws(MockError) {
      func invalid(_ reason: String) -> MockError {
        MockError(invalidStub: reason, method: method, host: host, path: path)
      }
      guard path.utf8.first == UInt8(ascii: "/") else { throw invalid("a path must begin with a slash") }
      guard !path.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
        throw invalid("a path must not have a query or fragment: use `where:` to match them")
      }
      let asURL = URL(text: "http://any" + path)?.path(percentEncoded: true)
      guard asURL == path else { throw invalid("a path must be percent-encoded\(asURL.map { ", as \($0)" } ?? "")") }
      guard let url = URL(string: "http://" + (host ?? "any") + path), url.path(percentEncoded: true) == path, url.user() == nil,
        (try? Target(Request(url: url))) != nil
      else { throw invalid("a host must be a name or an address, with an optional port") }
      self.method = method
      self.url = url
      isOfAnyHost = host == nil
    }

    func matches(_ request: Request) -> Bool {
      let path = request.url.path(percentEncoded: true)
      return request.method == method && (path.isEmpty ? "/" : path) == url.path(percentEncoded: true) && matchesHost(of: request)
    }

    private func matchesHost(of request: Request) -> Bool {
      guard !isOfAnyHost else { return true }
      let port = request.url.port ?? (request.url.scheme?.lowercased() == "https" ? 443 : 80)
      return request.url.host()?.lowercased() == url.host()?.lowercased() && port == url.port ?? port
    }

    func differences(from request: Request) -> [String] {
      let (parts, wanted) = (URLParts(request.secrets.redacting(request.url)), URLParts(request.secrets.redacting(url)))
      let host = matchesHost(of: request) ? parts.host : wanted.host
      let route = RequestKey(method: method, url: String(parts.start + host + wanted.path))
      let path = parts.path.isEmpty ? "/" : parts.path
      return RequestKey(method: request.method, url: String(parts.start + parts.host + path)).differences(from: route)
    }

    func description(_ secrets: Secrets) -> String {
      let start = isOfAnyHost ? "http://any" : "http://"
      return "\(method) \(secrets.redacting(url).dropFirst(start.utf8.count))"
    }
  }
}
