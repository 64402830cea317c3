public import FaradayCore
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Follows redirects: 301, 302, 303, 307 and 308 that have a `Location` (RFC 9110, section 15.4).
///
/// - 303 makes a GET of everything but HEAD; 301 and 302 make a GET of POST (the Fetch standard's rule); their body goes, and
///   the fields about it. 307 and 308 send method and body again: one that can be read once only is an error.
/// - To another origin, which is also `https` to `http`, a request goes without `Authorization`, `Proxy-Authorization`, `Cookie`
///   and every field of ``FaradayCore/Secrets/headers``, without `Host`, and marked as foreign, so that no middleware below adds
///   credentials. It does not get them back if it returns.
/// - The URL's user and password stay with their origin; those in a `Location` are dropped. A fragment is carried on unless
///   the `Location` has one.
///
/// Callbacks see the last response only; but the 1xx heads of each hop reach ``FaradayCore/Options/onInformational``, as it cannot
/// be known yet what follows them. What stands below this middleware sees each hop as a request of its own. A
/// ``RedirectError`` has the response that could not be followed.
public struct Redirects: Middleware {
  private let limit: Int
  private let allowsDowngrade: Bool

  /// - Parameters:
  ///   - limit: how many are followed; one more is an error. ``FaradayCore/Options/redirectLimit`` overrides it for a request.
  ///   - allowsDowngrade: whether `https` may lead to `http`.
  public init(limit: Int = 10, allowsDowngrade: Bool = true) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let limit = request.options.redirectLimit ?? limit
    guard limit > 0 else { return try await next(request) }
    var request = request
    var hops: [Redirect] = []
    var visited: Set<Visit> = [Visit(request)]
    while true {
      let sent = try await Withholding.send(request, next: next) { Self.isRedirect($0) }
      var response = sent.response
      response.redirects = hops
      if hops.contains(where: { Origin($0.url) != Origin($0.location) }) { response.leftOrigin = true }
      guard sent.isWithheld else { return response }
      let fail = { (reason: RedirectError.Reason) in RedirectError(reason, request: request, response: response) }
      guard hops.count < limit else { throw fail(.tooMany(limit: limit)) }
      let following = try request.following(response, orFail: fail)
      guard allowsDowngrade || !request.isSecure || following.isSecure else { throw fail(.downgrade) }
      hops.append(
        Redirect(
          status: response.status, headers: response.headers, version: response.version, url: request.url,
          location: following.url))
      // A page that sets a cookie and leads to itself is no loop: the next visit is another one.
      if response.headers[.setCookie] != nil { visited.removeAll() }
      guard visited.insert(Visit(following)).inserted else { throw fail(.loop) }
      await sent.drain()
      request = following
    }
  }

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
}

/// A redirect that could not be followed.
public struct RedirectError: Error, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    case tooMany(limit: Int)
    /// It leads to where the request has been, and no cookie was set on the way.
    case loop
    /// The `Location` is no URL that can be sent to: not `http` or `https`, or without a host.
    case invalidLocation
    /// 307 or 308, and the body could be read once only.
    case bodyNotReplayable
    /// From `https` to `http`, which was not allowed.
    case downgrade
  }

  public let reason: Reason
  /// The response that redirected; its ``FaradayCore/Response/redirects`` are those before.
  public let response: Response
  private let request: String

  init(_ reason: Reason, request: Request, response: Response) {
    self.reason = reason
    self.response = response
    self.request = "\(request.method) \(request.options.secrets.redacting(request.url))"
  }

  public var description: String {
    let what =
      switch reason {
      case .tooMany(let limit): "more than \(limit) redirects"
      case .loop: "the redirect leads back to where it came from"
      case .invalidLocation: "the redirect's Location is no URL that a request can be sent to"
      case .bodyNotReplayable: "the redirect wants the body again, which could be read once only"
      case .downgrade: "the redirect leads from https to http"
      }
    return "\(request): \(what) (\(response.status.code))"
  }
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
  /// Follows redirects.
  public static func redirects(limit: Int = 10, allowsDowngrade: Bool = true) -> Self {
    Self(limit: limit, allowsDowngrade: allowsDowngrade)
  }
}
