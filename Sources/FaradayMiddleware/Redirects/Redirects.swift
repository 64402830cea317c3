public import FaradayCore
private import Synchronization

/// Follows redirects: responses with status 301, 302, 303, 307 or 308 and a `Location` header (RFC 9110, section 15.4). Follows
/// at most 10 by default.
///
/// - 303 changes every method except HEAD to GET; 301 and 302 change POST to GET (WHATWG Fetch); in these cases the body and
///   its header fields are removed. 307 and 308 send method and body again: a body that can be read only once is an error.
/// - A cross-origin redirect, which includes `https` to `http`, is followed without `Authorization`, `Proxy-Authorization`,
///   `Cookie`, `Host` and every header that ``FaradayCore/Secrets`` names, with only the origin in `Referer`, and as a
///   cross-origin request, so that no middleware below adds credentials: `becomeCrossOrigin()`. They are
///   not restored if a redirect returns to the first origin, unless ``CredentialScope`` allows it.
/// - From `https` to `http` no body is sent, unless `allowsCleartextBody` is true.
/// - User and password of the URL stay with their origin; user and password in a `Location` are dropped. The fragment is kept
///   unless the `Location` has one.
/// - Several equal `Location` fields count as one; conflicting ones are an error. A response with an empty `Location` is not a
///   redirect. Non-ASCII bytes in it are percent-encoded.
/// - The body of a redirect is discarded. Its size does not matter, and a truncated body is not an error. A stalled body is
///   waited for one second. URLSession reports a redirect only when its body has arrived: over it, a truncated or stalled body
///   is an error.
///
/// Callbacks see the last response only; but the 1xx heads of each redirect reach ``FaradayCore/Options/onInformational``,
/// because the final status is not known yet. A middleware below this one sees each redirect as a separate request. Throws
/// ``RedirectError``, which contains the response.
public struct Redirects: Middleware {
  /// Decides about a redirect that all other rules allow. Called once for each redirect, before its body is read, in the task
  /// that sent the request. Its errors are thrown.
  public typealias Policy = @Sendable (_ attempt: Attempt) throws -> Decision

  /// A redirect that a ``Policy`` decides about.
  public struct Attempt: Sendable {
    /// Status and header fields of the redirect response.
    public let head: HTTPResponse
    /// The URL of the request that was redirected.
    public let url: URL
    /// The next request, to the new URL, without the headers that must not be sent there.
    public let newRequest: Request
    /// The number of redirects that were followed before this one.
    public let count: Int
  }

  /// The decision of a ``Policy`` about a redirect.
  public enum Decision: Sendable, Hashable {
    /// The redirect is followed.
    case follow
    /// The redirect is not followed: the redirect response is returned, with its body.
    case stop
  }

  /// The redirects that are followed with the credentials of the request.
  public enum CredentialScope: Sendable, Hashable {
    /// Redirects within the first origin, up to the first cross-origin redirect.
    case untilCrossOrigin
    /// All redirects to the first origin, also redirects back to it from another origin, as browsers do with Basic and Digest.
    /// The header fields, the authentication and the client certificate of the request are sent there again.
    case firstOrigin
    /// All redirects, to any origin. Every redirect target gets the credentials of the request: use it only for redirects
    /// between servers that trust each other. `Host`, the default header fields of the connection and the credentials that
    /// middleware below adds are still sent to their origin only.
    case everyOrigin
  }

  private let limit: Int
  private let allowsDowngrade: Bool
  private let httpsOnly: Bool
  private let sendsReferer: Bool
  private let policy: Policy?
  private let allowsCleartextBody: Bool
  private let keepsMethod: Set<Int>
  private let followsLoops: Bool
  private let credentials: CredentialScope

  /// - Parameters:
  ///   - limit: the maximum number of redirects. Another redirect is an error. 10 by default.
  ///     ``FaradayCore/Options/redirectLimit`` overrides it for a request.
  ///   - allowsDowngrade: whether `https` may redirect to `http`. True by default.
  ///   - allowsCleartextBody: whether a body that was meant for `https` may be sent over `http`. False by default.
  ///   - httpsOnly: whether all redirects must lead to `https`, even redirects from `http`. False by default.
  ///   - sendsReferer: whether each redirect is followed with a `Referer`: the URL without user, password and fragment;
  ///     cross-origin only the origin; from `https` to `http` none. False by default.
  ///   - keepsMethod: the statuses among 301, 302 and 303 after which method and body are sent again, as after 307. None by default.
  ///   - followsLoops: whether a redirect to an already requested URL is followed, up to the limit: for a server that redirects
  ///     to the same URL until its work is done. False by default: such a loop is an error.
  ///   - credentials: which redirects are followed with the request's credentials. By default all before the first cross-origin
  ///     redirect.
  ///   - policy: decides about each redirect that these rules allow. By default all of them are followed.
  public init(
    limit: Int = 10, allowsDowngrade: Bool = true, allowsCleartextBody: Bool = false, httpsOnly: Bool = false,
    sendsReferer: Bool = false, keepsMethod: Set<Int> = [], followsLoops: Bool = false,
    credentials: CredentialScope = .untilCrossOrigin, policy: Policy? = nil
  ) {
    self.limit = limit
    self.keepsMethod = keepsMethod
    self.followsLoops = followsLoops
    self.credentials = credentials
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

  /// Follows a redirect and the redirects after it. Not inlined: it would enlarge the frame of `handle`, which every waiting
  /// request has.
  @inline(never)
  private func follow(_ redirect: Response, of request: Request, limit: Int, _ next: Next) async throws -> Response {
    var (request, response) = (request, redirect)
    var trail = Trail(first: request, limit: limit, keepsRepeatedHeaders: next.capabilities.contains(.repeatedHeaders))
    while Self.isRedirect(response) {
      switch try plan(response.head, of: request, &trail) {
      case .deliver: return trail.delivered(response)
      case .refuse(let reason):
        let start = try await response.body.start(upTo: Self.keptOfRefused, within: .seconds(1), clock: .continuous).bytes
        throw RedirectError(reason, request: request, response: trail.delivered(response, with: start))
      case .follow(let redirected):
        await response.body.discard()
        trail.follow(response, of: request, to: redirected)
        request = redirected
        response = try await next(request)
      }
    }
    return trail.delivered(response)
  }

  /// The redirects of a request so far.
  private struct Trail {
    let first: Request
    let limit: Int
    let keepsRepeatedHeaders: Bool
    private var redirects: [Redirect] = []
    private var visited: Set<Visit> = []

    init(first: Request, limit: Int, keepsRepeatedHeaders: Bool) {
      self.first = first
      self.limit = limit
      self.keepsRepeatedHeaders = keepsRepeatedHeaders
    }

    var count: Int { redirects.count }

    mutating func visit(_ request: Request) { visited.insert(Visit(request)) }

    func hasVisited(_ request: Request) -> Bool { visited.contains(Visit(request)) }

    mutating func follow(_ response: Response, of request: Request, to redirected: Request) {
      // A page that sets a cookie and redirects to itself is not a loop: the next response can differ.
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
      redirected = try self.redirected(head, of: request, trail)
    } catch {
      return .refuse(error.reason)
    }
    guard followsLoops || head.headerFields.contains(.setCookie) || !trail.hasVisited(redirected) else { return .refuse(.loop) }
    guard let policy else { return .follow(redirected) }
    let attempt = Attempt(head: head, url: request.url, newRequest: redirected, count: trail.count)
    return try policy(attempt) == .follow ? .follow(redirected) : .deliver
  }

  /// Returns the next request, if the rules allow it.
  private func redirected(
    _ head: HTTPResponse, of request: Request, _ trail: Trail
  ) throws(RefusedRedirect) -> Request {
    var referring = request
    if sendsReferer { referring.refer() }
    var redirected = try referring.redirected(
      head, keepsRepeatedHeaders: trail.keepsRepeatedHeaders, keepsMethod: keepsMethod.contains(head.status.code),
      keepsCredentials: credentials == .everyOrigin)
    if credentials == .everyOrigin, let host = HTTPField.Name("Host"), Origin(redirected.url) == Origin(trail.first.url) {
      redirected.headers[fields: host] = trail.first.headers[fields: host]
    }
    if credentials == .firstOrigin, redirected.isCrossOrigin, !trail.first.isCrossOrigin {
      redirected = trail.first.returning(as: redirected) ?? redirected
    }
    guard redirected.isSecure || !httpsOnly else { throw RefusedRedirect(.insecure) }
    guard redirected.isSecure || !request.isSecure || allowsDowngrade else { throw RefusedRedirect(.downgrade) }
    guard allowsCleartextBody || !redirected.sendsBodyInCleartext(after: request) else { throw RefusedRedirect(.cleartextBody) }
    return redirected
  }

  /// The number of body bytes that the error of a rejected redirect keeps.
  private static let keptOfRefused = 64 << 10

  private static func isRedirect(_ response: Response) -> Bool {
    switch response.status.code {
    case 301, 302, 303, 307, 308: response.headers[.location]?.isEmpty == false
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
  /// The header fields of the redirect response.
  public let headers: HTTPFields
  /// The HTTP version of the response.
  public let version: HTTPVersion
  /// The URL of the request that was redirected.
  public let url: URL
  /// The target URL.
  public let location: URL
  /// The timings and sizes of the exchange; for a streamed response that was not read to its end, the values at its head.
  public let metrics: TransferMetrics
  let secrets: Secrets
}

/// The error of a redirect that was not followed, because a rule forbids it or it is malformed.
public struct RedirectError: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The reason why a redirect was not followed.
  public enum Reason: Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of redirects was reached.
    case tooMany(limit: Int)
    /// The target URL was requested before, and no cookie was set since then.
    case loop
    /// The `Location` is not a valid URL: it is not `http` or `https`, it has no host, or several `Location` fields differ.
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

  /// The reason why it was not followed.
  public let reason: Reason
  /// The redirect response; its ``FaradayCore/Response/redirects`` are the earlier redirects.
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
  /// The maximum number of redirects for this request; 0 follows none. Nil, the default, uses the limit of the middleware.
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
  /// ``FaradayMiddleware/Redirects/init(limit:allowsDowngrade:allowsCleartextBody:httpsOnly:sendsReferer:keepsMethod:followsLoops:credentials:policy:)``.
  public static func redirects(
    limit: Int = 10, allowsDowngrade: Bool = true, allowsCleartextBody: Bool = false, httpsOnly: Bool = false,
    sendsReferer: Bool = false, keepsMethod: Set<Int> = [], followsLoops: Bool = false,
    credentials: Redirects.CredentialScope = .untilCrossOrigin, policy: Redirects.Policy? = nil
  ) -> Self {
    Self(
      limit: limit, allowsDowngrade: allowsDowngrade, allowsCleartextBody: allowsCleartextBody, httpsOnly: httpsOnly,
      sendsReferer: sendsReferer, keepsMethod: keepsMethod, followsLoops: followsLoops, credentials: credentials, policy: policy)
  }
}
