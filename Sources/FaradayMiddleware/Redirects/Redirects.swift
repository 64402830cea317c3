public import FaradayCore
private import Synchronization

/// Follows redirects: responses with status 301, 302, 303, 307 or 308 and a `Location` header (RFC 9110, section 15.4). At most
/// 10 by default.
///
/// - 303 changes every method but HEAD to GET; 301 and 302 change POST to GET (WHATWG Fetch); the body and its header fields
///   are removed then. 307 and 308 send method and body again: a body that can be read only once is an error.
/// - A cross-origin redirect, which includes `https` to `http`, is followed without `Authorization`, `Proxy-Authorization`,
///   `Cookie`, `Host` and every header that ``FaradayCore/Secrets`` names, with no more than the origin in `Referer`, and as a
///   cross-origin request, so that no middleware below adds credentials: ``FaradayCore/Request/becomeCrossOrigin()``. They are
///   not restored if it returns to the first origin.
/// - From `https` to `http` no body is sent, unless `allowsCleartextBody` is true.
/// - User and password of the URL stay with their origin; those in a `Location` are dropped. The fragment is kept unless the
///   `Location` has one.
/// - Several `Location` fields are one if they are equal, and an error if not. Non-ASCII bytes of it are percent-encoded.
/// - A redirect's own body is discarded: its size does not matter, nor whether it is truncated, and one that stalls is waited
///   for a second. URLSession reports a redirect only when its body has arrived: over it, a truncated or stalled body is an
///   error.
///
/// Callbacks see the last response only; but the 1xx heads of each redirect reach ``FaradayCore/Options/onInformational``, as
/// what follows them is not known yet. A middleware below this one sees each redirect as a request of its own. Throws
/// ``RedirectError``, which has the response.
public struct Redirects: Middleware {
  /// Decides about a redirect that all other rules allow. Called once for each, before its body is read, in the task that sent
  /// the request. What it throws is thrown.
  public typealias Policy = @Sendable (_ attempt: Attempt) throws -> Decision

  /// A redirect for a ``Policy`` to decide about.
  public struct Attempt: Sendable {
    /// Status and header fields of the response that redirects.
    public let head: HTTPResponse
    /// The URL that redirects.
    public let url: URL
    /// The request that would be sent next, to the new URL, without the headers that must not go there.
    public let newRequest: Request
    /// How many redirects were followed before this one.
    public let count: Int
  }

  /// What a ``Policy`` does with a redirect.
  public enum Decision: Sendable, Hashable {
    /// The redirect is followed.
    case follow
    /// The redirect is not followed: it is the response, with its body.
    case stop
  }

  private let limit: Int
  private let allowsDowngrade: Bool
  private let httpsOnly: Bool
  private let sendsReferer: Bool
  private let policy: Policy?
  private let allowsCleartextBody: Bool

  /// - Parameters:
  ///   - limit: the maximum number of redirects; one more is an error. 10 by default. ``FaradayCore/Options/redirectLimit``
  ///     overrides it for a request.
  ///   - allowsDowngrade: whether `https` may redirect to `http`. True by default.
  ///   - allowsCleartextBody: whether a body may be sent over `http` that was to be sent over `https`. False by default.
  ///   - httpsOnly: whether all redirects must lead to `https`, those of `http` too. False by default.
  ///   - sendsReferer: whether each redirect is followed with a `Referer`: the URL without user, password and fragment;
  ///     cross-origin only the origin; from `https` to `http` none. False by default.
  ///   - policy: decides about each redirect that these rules allow. By default all of them are followed.
  public init(
    limit: Int = 10, allowsDowngrade: Bool = true, allowsCleartextBody: Bool = false, httpsOnly: Bool = false,
    sendsReferer: Bool = false, policy: Policy? = nil
  ) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
    self.allowsCleartextBody = allowsCleartextBody
    self.httpsOnly = httpsOnly
    self.sendsReferer = sendsReferer
    self.policy = policy
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let limit = request.options.redirectLimit ?? limit
    let response = try await next(request)
    guard limit > 0, Self.isRedirect(response) else { return response }
    return try await follow(response, of: request, limit: limit, next)
  }

  /// Follows a redirect and those behind it. Apart from `handle`, whose frame every request has while it waits.
  @inline(never)
  private func follow(_ redirect: Response, of request: Request, limit: Int, _ next: Next) async throws -> Response {
    var (request, response) = (request, redirect)
    var trail = Trail(limit: limit, keepsRepeatedHeaders: next.capabilities.contains(.repeatedHeaders))
    while Self.isRedirect(response) {
      switch try plan(response.head, of: request, &trail) {
      case .deliver: return trail.delivered(response)
      case .refuse(let reason):
        let start = try? await response.body.start(upTo: Self.keptOfRefused).bytes
        throw RedirectError(reason, request: request, response: trail.delivered(response, with: start ?? Data()))
      case .follow(let redirected):
        await response.body.discard()
        trail.follow(response, of: request, to: redirected)
        request = redirected
        response = try await next(request)
      }
    }
    return trail.delivered(response)
  }

  /// How a request has been redirected so far.
  private struct Trail {
    let limit: Int
    let keepsRepeatedHeaders: Bool
    private var redirects: [Redirect] = []
    private var visited: Set<Visit> = []

    init(limit: Int, keepsRepeatedHeaders: Bool) {
      self.limit = limit
      self.keepsRepeatedHeaders = keepsRepeatedHeaders
    }

    var count: Int { redirects.count }

    mutating func visit(_ request: Request) { visited.insert(Visit(request)) }

    func hasVisited(_ request: Request) -> Bool { visited.contains(Visit(request)) }

    mutating func follow(_ response: Response, of request: Request, to redirected: Request) {
      // A page that sets a cookie and leads to itself is no loop: the next visit is another one.
      if response.headers.contains(.setCookie) { visited.removeAll() }
      redirects.append(
        Redirect(
          status: response.status, headers: response.headers, version: response.version, url: request.url,
          location: redirected.url, metrics: response.metrics, secrets: request.secrets))
    }

    func delivered(_ response: Response, with body: Data? = nil) -> Response {
      guard !redirects.isEmpty || body != nil else { return response }
      var response = response
      response.redirects = redirects
      if redirects.contains(where: { Origin($0.url) != Origin($0.location) }) { response.wasRedirectedCrossOrigin = true }
      if let body { response.body = .data(body) }
      return response
    }
  }

  /// What to do with a redirect.
  private enum Plan {
    case deliver
    case follow(Request)
    case refuse(RedirectError.Reason)
  }

  private func plan(_ head: HTTPResponse, of request: Request, _ trail: inout Trail) throws -> Plan {
    trail.visit(request)
    guard trail.count < trail.limit else { return .refuse(.tooMany(limit: trail.limit)) }
    let redirected: Request
    do {
      redirected = try self.redirected(head, of: request, keepsRepeatedHeaders: trail.keepsRepeatedHeaders)
    } catch {
      return .refuse(error)
    }
    guard head.headerFields.contains(.setCookie) || !trail.hasVisited(redirected) else { return .refuse(.loop) }
    guard let policy else { return .follow(redirected) }
    let attempt = Attempt(head: head, url: request.url, newRequest: redirected, count: trail.count)
    return try policy(attempt) == .follow ? .follow(redirected) : .deliver
  }

  /// The request that follows, if the rules allow it.
  private func redirected(
    _ head: HTTPResponse, of request: Request, keepsRepeatedHeaders: Bool
  ) throws(RedirectError.Reason) -> Request {
    var referring = request
    if sendsReferer { referring.refer() }
    let redirected = try referring.redirected(head, keepsRepeatedHeaders: keepsRepeatedHeaders)
    guard redirected.isSecure || !httpsOnly else { throw .insecure }
    guard redirected.isSecure || !request.isSecure || allowsDowngrade else { throw .downgrade }
    guard allowsCleartextBody || !redirected.sendsBodyInCleartext(after: request) else { throw .cleartextBody }
    return redirected
  }

  /// How many bytes of the body of a rejected redirect its error has.
  private static let keptOfRefused = 64 << 10

  private static func isRedirect(_ response: Response) -> Bool {
    switch response.status.code {
    case 301, 302, 303, 307, 308: response.headers.contains(.location)
    default: false
    }
  }

  private struct Visit: Hashable {
    let method: String
    let url: String

    init(_ request: Request) {
      method = request.method.rawValue
      url = request.url.absoluteString
    }
  }
}

/// A redirect that was followed.
public struct Redirect: Sendable {
  /// 301, 302, 303, 307 or 308.
  public let status: HTTPResponse.Status
  /// The header fields of the response that redirected.
  public let headers: HTTPFields
  /// The HTTP version of the response.
  public let version: HTTPVersion
  /// The URL that redirected.
  public let url: URL
  /// The URL that it redirected to.
  public let location: URL
  /// The timings and sizes of the exchange; of a streamed response that was not read to its end, what was known at its head.
  public let metrics: TransferMetrics
  let secrets: Secrets
}

/// A redirect that was not followed, because a rule forbids it or it is malformed.
public struct RedirectError: FaradayError, ErrorWithResponse, CustomReflectable {
  /// Why a redirect was not followed.
  public enum Reason: FaradayError, Hashable {
    /// The limit of redirects was reached.
    case tooMany(limit: Int)
    /// It leads to a URL that was requested before, and no cookie was set on the way.
    case loop
    /// The `Location` is not a valid URL: not `http` or `https`, without a host, or several that differ.
    case invalidLocation
    /// 307 or 308, and the body can be read only once.
    case bodyNotReplayable
    /// From `https` to `http`, and `allowsDowngrade` is false.
    case downgrade
    /// To `http`, and `httpsOnly` is true.
    case insecure
    /// 307 or 308 from `https` to `http` with a body, and `allowsCleartextBody` is false.
    case cleartextBody

    public var description: String {
      switch self {
      case .tooMany(let limit): "too many redirects: the limit is \(limit)"
      case .loop: "redirect loop: it leads to a URL that was requested before"
      case .invalidLocation: "the redirect's Location is not a valid http or https URL"
      case .bodyNotReplayable: "the redirect requires sending the body again, which can be read only once"
      case .downgrade: "the redirect leads from https to http, which is not allowed"
      case .insecure: "the redirect leads to http, and only https is allowed"
      case .cleartextBody: "the redirect leads from https to http, and would send the body in cleartext"
      }
    }
  }

  /// Why it was not followed.
  public let reason: Reason
  /// The response that redirected; its ``FaradayCore/Response/redirects`` are those before.
  public let response: Response
  /// The request that was redirected.
  public let request: RequestSummary?

  init(_ reason: Reason, request: Request, response: Response) {
    self.reason = reason
    self.response = response
    self.request = RequestSummary(request)
  }

  public var description: String { naming("\(reason) (\(response.status.code))") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Options {
  /// The maximum number of redirects for this request; 0 follows none. Nil, the default, is the limit of the middleware.
  public var redirectLimit: Int? {
    get { self[RedirectLimit.self] }
    set { self[RedirectLimit.self] = newValue }
  }

  private enum RedirectLimit: OptionKey { static let defaultValue: Int? = nil }
}

extension Response {
  /// The redirects that were followed before this response, the first one first.
  public var redirects: [Redirect] {
    get { self[RedirectsKey.self] ?? [] }
    set { self[RedirectsKey.self] = newValue.isEmpty ? nil : newValue }
  }

  private enum RedirectsKey: ResponseKey { typealias Value = [Redirect] }
}

extension Middleware where Self == Redirects {
  /// Follows redirects. See
  /// ``FaradayMiddleware/Redirects/init(limit:allowsDowngrade:allowsCleartextBody:httpsOnly:sendsReferer:policy:)``.
  public static func redirects(
    limit: Int = 10, allowsDowngrade: Bool = true, allowsCleartextBody: Bool = false, httpsOnly: Bool = false,
    sendsReferer: Bool = false, policy: Redirects.Policy? = nil
  ) -> Self {
    Self(
      limit: limit, allowsDowngrade: allowsDowngrade, allowsCleartextBody: allowsCleartextBody, httpsOnly: httpsOnly,
      sendsReferer: sendsReferer, policy: policy)
  }
}
