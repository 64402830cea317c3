public import FaradayCore
private import Synchronization

/// Follows redirects: 301, 302, 303, 307 and 308 that have a `Location` (RFC 9110, section 15.4).
///
/// - 303 makes a GET of everything but HEAD; 301 and 302 make a GET of POST (the Fetch standard's rule); their body goes, and
///   the fields about it. 307 and 308 send method and body again: one that can be read once only is an error.
/// - To another origin, which is also `https` to `http`, a request goes without `Authorization`, `Proxy-Authorization`, `Cookie`
///   and every field that ``FaradayCore/Secrets`` names, without `Host`, with no more of a `Referer` than its origin, and marked
///   as foreign, so that no middleware below adds credentials: ``FaradayCore/Request/becomeCrossOrigin()``. It does not get them back
///   if it returns.
/// - From `https` to `http` no body is sent, unless that is allowed: anybody on the way could read it.
/// - The URL's user and password stay with their origin; those in a `Location` are dropped. A fragment is carried on unless
///   the `Location` has one.
/// - Several `Location` fields are one if they are equal, and an error if not. Bytes of it that are no ASCII are percent-encoded.
/// - A redirect's own body is of no matter: it may be larger than the largest body and break off, and one that stalls is waited
///   for a second. Over URLSession, which shows a redirect only when its body has come, one that breaks off or stalls is an error.
///
/// Callbacks see the last response only; but the 1xx heads of each hop reach ``FaradayCore/Options/onInformational``, as it cannot
/// be known yet what follows them. What stands below this middleware sees each hop as a request of its own. A
/// ``RedirectError`` has the response that could not be followed.
public struct Redirects: Middleware {
  /// Decides about a redirect that all other rules let pass. Called once for each, before its body is read, in the task that sent the
  /// request. What it throws is what the request throws.
  public typealias Policy = @Sendable (_ attempt: Attempt) throws -> Decision

  /// A redirect that a policy is asked about.
  public struct Attempt: Sendable {
    /// The status and the fields of the response that redirects.
    public let head: HTTPResponse
    /// Who redirects.
    public let url: URL
    /// What would be sent next: its URL is where the redirect leads, and what may not go there has been taken out.
    public let following: Request
    /// How many redirects were followed before this one.
    public let count: Int
  }

  /// What becomes of a redirect.
  public enum Decision: Sendable, Hashable {
    case follow
    /// It is not followed: it is the response, with its body.
    case stop
  }

  private let limit: Int
  private let allowsDowngrade: Bool
  private let httpsOnly: Bool
  private let sendsReferer: Bool
  private let policy: Policy?
  private let allowsBodyInClear: Bool

  /// - Parameters:
  ///   - limit: how many are followed; one more is an error. ``FaradayCore/Options/redirectLimit`` overrides it for a request.
  ///   - allowsDowngrade: whether `https` may lead to `http`.
  ///   - httpsOnly: whether all redirects must lead to `https`, those of `http` too.
  ///   - sendsReferer: whether each hop says in `Referer` who led there: the URL without user, password and fragment; to another
  ///     origin the origin alone; from `https` to `http` nothing.
  ///   - policy: asked about each redirect that these let pass. Without one all of them are followed.
  ///   - allowsBodyInClear: whether a body may be sent over `http` that was meant for `https`.
  public init(
    limit: Int = 10, allowsDowngrade: Bool = true, allowsBodyInClear: Bool = false, httpsOnly: Bool = false,
    sendsReferer: Bool = false, policy: Policy? = nil
  ) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
    self.allowsBodyInClear = allowsBodyInClear
    self.httpsOnly = httpsOnly
    self.sendsReferer = sendsReferer
    self.policy = policy
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let limit = request.options.redirectLimit ?? limit
    guard limit > 0 else { return try await next(request) }
    let areApart = next.capabilities.contains(.repeatedHeaders)
    var request = request
    var hops: [Redirect] = []
    var visited: Set<Visit> = [Visit(request)]
    while true {
      var response = try await next(request)
      let plan = try plan(response.head, of: request, visited, count: hops.count, limit: limit, areApart: areApart)
      response.redirects = hops
      if hops.contains(where: { Origin($0.url) != Origin($0.location) }) { response.wasRedirectedCrossOrigin = true }
      switch plan {
      case .deliver: return response
      case .refuse(let reason):
        response.body = .data((try? await response.body.start(upTo: Self.keptOfRefused).bytes) ?? Data())
        throw RedirectError(reason, request: request, response: response)
      case .follow(let following):
        // A page that sets a cookie and leads to itself is no loop: the next visit is another one.
        if response.headers[.setCookie] != nil { visited.removeAll() }
        visited.insert(Visit(following))
        await response.body.discard()
        hops.append(
          Redirect(
            status: response.status, headers: response.headers, version: response.version, url: request.url,
            location: following.url, metrics: response.metrics,
            secrets: request.secrets))
        request = following
      }
    }
  }

  /// What becomes of a response.
  private enum Plan {
    case deliver
    case follow(Request)
    case refuse(RedirectError.Reason)
  }

  private func plan(
    _ head: HTTPResponse, of request: Request, _ visited: Set<Visit>, count: Int, limit: Int, areApart: Bool
  ) throws -> Plan {
    guard Self.isRedirect(head) else { return .deliver }
    guard count < limit else { return .refuse(.tooMany(limit: limit)) }
    let following: Request
    do {
      following = try self.following(head, of: request, areApart: areApart)
    } catch {
      return .refuse(error)
    }
    guard head.headerFields[.setCookie] != nil || !visited.contains(Visit(following)) else { return .refuse(.loop) }
    guard let policy else { return .follow(following) }
    let attempt = Attempt(head: head, url: request.url, following: following, count: count)
    return try policy(attempt) == .follow ? .follow(following) : .deliver
  }

  /// The request that follows, by the rules.
  private func following(
    _ head: HTTPResponse, of request: Request, areApart: Bool
  ) throws(RedirectError.Reason) -> Request {
    var referring = request
    if sendsReferer { referring.refer() }
    let following = try referring.following(head, areApart: areApart)
    guard following.isSecure || !httpsOnly else { throw .insecure }
    guard following.isSecure || !request.isSecure || allowsDowngrade else { throw .downgrade }
    guard allowsBodyInClear || !following.hasBodyInClear(after: request) else { throw .bodyInClear }
    return following
  }

  /// How many bytes of the body of a redirect that could not be followed its error has.
  private static let keptOfRefused = 64 << 10

  private static func isRedirect(_ head: HTTPResponse) -> Bool {
    [301, 302, 303, 307, 308].contains(head.status.code) && head.headerFields[.location] != nil
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
  /// The fields of the response that redirected.
  public let headers: HTTPFields
  /// The version of HTTP it came over.
  public let version: HTTPVersion
  /// Who redirected.
  public let url: URL
  /// Where to.
  public let location: URL
  /// What it cost; of a streamed response that was not read to its end, as far as was known at its head.
  public let metrics: TransferMetrics
  let secrets: Secrets
}

/// A redirect that could not be followed.
public struct RedirectError: FaradayError, ErrorWithResponse, CustomReflectable {
  public enum Reason: FaradayError, Hashable {
    case tooMany(limit: Int)
    /// It leads to where the request has been, and no cookie was set on the way.
    case loop
    /// The `Location` is no URL that can be sent to: not `http` or `https`, without a host, or several that differ.
    case invalidLocation
    /// 307 or 308, and the body could be read once only.
    case bodyNotReplayable
    /// From `https` to `http`, which was not allowed.
    case downgrade
    /// To `http`, where only `https` was allowed.
    case insecure
    /// 307 or 308 from `https` to `http` with a body, which was not allowed.
    case bodyInClear

    public var description: String {
      switch self {
      case .tooMany(let limit): "more than \(limit) redirects"
      case .loop: "the redirect leads back to where it came from"
      case .invalidLocation: "the redirect's Location is no URL that a request can be sent to"
      case .bodyNotReplayable: "the redirect wants the body again, which could be read once only"
      case .downgrade: "the redirect leads from https to http"
      case .insecure: "the redirect leads to http, and only https is allowed"
      case .bodyInClear: "the redirect leads from https to http, where the body could be read on the way"
      }
    }
  }

  public let reason: Reason
  /// The response that redirected; its ``FaradayCore/Response/redirects`` are those before.
  public let response: Response
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
  /// How many redirects are followed; 0 leaves them to the caller. Nil is what the middleware says.
  public var redirectLimit: Int? {
    get { self[RedirectLimit.self] }
    set { self[RedirectLimit.self] = newValue }
  }

  private enum RedirectLimit: OptionKey { static let defaultValue: Int? = nil }
}

extension Response {
  /// The redirects that led here, the first one first.
  public var redirects: [Redirect] {
    get { self[RedirectsKey.self] ?? [] }
    set { self[RedirectsKey.self] = newValue.isEmpty ? nil : newValue }
  }

  private enum RedirectsKey: ResponseKey { typealias Value = [Redirect] }
}

extension Middleware where Self == Redirects {
  /// Follows redirects. See ``Redirects/init(limit:allowsDowngrade:allowsBodyInClear:httpsOnly:sendsReferer:policy:)``.
  public static func redirects(
    limit: Int = 10, allowsDowngrade: Bool = true, allowsBodyInClear: Bool = false, httpsOnly: Bool = false,
    sendsReferer: Bool = false, policy: Redirects.Policy? = nil
  ) -> Self {
    Self(
      limit: limit, allowsDowngrade: allowsDowngrade, allowsBodyInClear: allowsBodyInClear, httpsOnly: httpsOnly,
      sendsReferer: sendsReferer, policy: policy)
  }
}
