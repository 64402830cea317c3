public import FaradayCore

extension MockAdapter {
  /// Adds a stub: requests that match get the closure's response, at most `times` of them.
  public func stub(
    times: Int = .max, where matches: @escaping Matcher = { _ in true }, respond: @escaping Responder
  ) {
    add(Stub(pattern: .closure(matches), left: times, respond: respond))
  }

  /// Adds a stub with a fixed response for requests with that method and path, at most `times` of them. Throws ``InvalidStub`` for
  /// a path or host that no URL has, as it would never match.
  ///
  /// - Parameters:
  ///   - host: the host of the request, optionally with a port: `api.example.com`, `127.0.0.1:8080`. Nil, the default, matches any.
  ///   - path: the path of the request's URL, percent-encoded, with its leading slash and without a query. Any query matches; use
  ///     `where:` to check it.
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

  /// A stub: what it matches, how often it can still be used, and its response.
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

  /// The method, host and path that a stub matches.
  struct Route: Sendable {
    private let method: HTTPRequest.Method
    /// With the host `any` if it matches any host.
    private let url: URL
    private let isOfAnyHost: Bool

    init(_ method: HTTPRequest.Method, host: String?, path: String) throws(InvalidStub) {
      func invalid(_ reason: String) -> InvalidStub { InvalidStub(method: method, host: host, path: path, reason: reason) }
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

/// A stub that no request could ever match. It is not added.
public struct InvalidStub: FaradayError, Equatable {
  /// The stub's method.
  public let method: HTTPRequest.Method
  /// The stub's host; nil for any.
  public let host: String?
  /// The stub's path.
  public let path: String
  /// What is wrong with it.
  public let reason: String

  public var description: String { "no request can match a stub of \(method) \(host ?? "")\(path): \(reason)" }
}

/// No stub of a strict ``MockAdapter`` matches a request.
public struct UnexpectedRequest: FaradayError, Equatable {
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's URL, redacted.
  public let url: String
  /// The stubs in the order in which they are tried: methods and paths, redacted.
  public let stubs: [String]

  init(_ request: Request, stubs: [MockAdapter.Stub]) {
    let secrets = request.secrets
    method = request.method
    url = secrets.redacting(request.url).bounded()
    self.stubs = stubs.map { stub in
      let text =
        switch stub.pattern {
        case .closure: "a stub with a closure"
        case .route(let route): route.description(secrets)
        }
      return stub.left > 0 ? text : text + " (used up)"
    }
  }

  /// The method and the redacted URL.
  public var request: RequestSummary? { RequestSummary(method: method, url: url) }

  /// One line with the request and the first twenty stubs.
  public var description: String {
    let shown = stubs.prefix(20).joined(separator: ", ") + (stubs.count > 20 ? " and \(stubs.count - 20) more" : "")
    return "no stub matches \(method) \(url); " + (stubs.isEmpty ? "there are no stubs" : "the stubs are: \(shown)")
  }
}
