public import FaradayCore
private import Synchronization

/// Gets access tokens from an OAuth 2 token endpoint, and sends them as bearer tokens (RFC 6749, RFC 6750): with the client
/// credentials grant (section 4.4) or the refresh token grant (section 6).
///
///     connection.use(
///       .oauth2(
///         tokenURL: url, client: OAuth2.Client(id: "app", secret: secret), scope: "read",
///         over: Connection(adapter: CurlAdapter())))
///
/// A token is requested before the first request, again before it expires, and after a 401 response; one token request serves all
/// concurrent requests (single flight). How a request is sent again after a 401, and when it is not, is as ``TokenRefresh`` has it:
/// this is one, whose tokens come from the endpoint. A cross-origin request gets no token.
///
/// The token endpoint is asked over a connection of its own, which must not have this middleware. Its default options, such as
/// timeouts, count; its redirects are not followed, as the request has the client's secret. The endpoint must be `https` unless
/// `allowsCleartextEndpoint` is true.
///
/// A refresh token that the endpoint replaces (rotation) is used from then on. Requests that are cancelled do not cancel a token
/// request in flight, because its answer may hold the only valid refresh token.
///
/// Throws ``OAuth2Error`` to all requests that wait for a token that could not be got; the next request tries again. But while a
/// renewal before the expiry fails with a transient error, such as a 503 of the endpoint, the current token is used until it expires,
/// and the next renewal is tried after half of the time that is left. Thread-safe; copies share their token.
public struct OAuth2: Middleware {
  /// What a client presents to get a token.
  public enum Grant: Sendable, Hashable, CustomStringConvertible {
    /// The client's own credentials (RFC 6749, section 4.4).
    case clientCredentials
    /// A refresh token, which a user's authorization gave (section 6): a secret.
    case refreshToken(String)

    /// The value of `grant_type`.
    public var description: String {
      switch self {
      case .clientCredentials: "client_credentials"
      case .refreshToken: "refresh_token"
      }
    }
  }

  /// Called with each new token, before it is used: the place to save a refresh token that has been replaced.
  public typealias TokenHandler = @Sendable (_ token: OAuth2.Token) async -> Void

  let tokens: TokenRefresh

  /// - Parameters:
  ///   - tokenURL: the token endpoint.
  ///   - client: the client's identifier and secret, and how they are sent.
  ///   - grant: the client credentials by default.
  ///   - scope: the scopes to ask for, separated by spaces; nil asks for the default of the server.
  ///   - parameters: further parameters of the token request, such as `audience` or `resource`.
  ///   - token: a token to begin with, from an earlier run; its refresh token replaces that of the grant. None by default.
  ///   - leeway: how long before its expiry a token is renewed: 60 seconds by default, and at most half of a token's lifetime. A
  ///     token without `expires_in` is renewed after a 401 only.
  ///   - allowsCleartextEndpoint: whether the endpoint may be `http`. False by default.
  ///   - connection: what the endpoint is asked over.
  ///   - now: the clock that expiry is measured by.
  ///   - onToken: called with each new token.
  public init(
    tokenURL: URL, client: Client, grant: Grant = .clientCredentials, scope: String? = nil, parameters: QueryParameters = [:],
    token: Token? = nil, leeway: Duration = .seconds(60), allowsCleartextEndpoint: Bool = false, over connection: Connection,
    now: @escaping @Sendable () -> Date = { Date() }, onToken: TokenHandler? = nil
  ) {
    let endpoint = OAuth2TokenEndpoint(
      url: tokenURL, client: client, scope: scope, parameters: parameters, allowsCleartext: allowsCleartextEndpoint,
      connection: connection, leeway: leeway, now: now)
    let state = State(grant, token: token, leeway: leeway, now: now())
    var tokens = TokenRefresh(
      token: token?.accessToken, isExpiring: { state.isExpiring($0, at: now()) },
      refresh: { _ in
        // A task of its own, as nobody's cancellation may lose a rotated refresh token.
        try await Task {
          let fresh = try await endpoint.token(by: state.grant)
          let token = state.take(fresh)
          await onToken?(token)
          return token.accessToken
        }.value
      })
    tokens.isUsable = { token, failure in failure.isTransient && state.postponesRenewal(of: token, at: now(), leeway: leeway) }
    self.tokens = tokens
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    try await tokens.handle(request, next: next)
  }

  /// The current token, and the grant for the next.
  private final class State: Sendable {
    private struct Values {
      var grant: Grant
      var accessToken: String?
      var expires: Date?
      var renewal: Date?
    }
    private let values: Mutex<Values>

    init(_ grant: Grant, token: Token?, leeway: Duration, now: Date) {
      var grant = grant
      if case .refreshToken = grant, let saved = token?.refreshToken { grant = .refreshToken(saved) }
      values = Mutex(
        Values(
          grant: grant, accessToken: token?.accessToken, expires: token?.expires,
          renewal: token?.expires.map { OAuth2TokenEndpoint.renewal(of: $0, from: now, leeway: leeway) }))
    }

    var grant: Grant { values.withLock { $0.grant } }

    func isExpiring(_ token: String, at now: Date) -> Bool {
      values.withLock { values in values.accessToken == token && values.renewal.map { $0 <= now } ?? false }
    }

    /// Postpones the renewal of a token that has not expired, to half of the time that is left; false if it has expired.
    func postponesRenewal(of token: String, at now: Date, leeway: Duration) -> Bool {
      values.withLock { values in
        guard values.accessToken == token, let expires = values.expires, expires > now else { return false }
        values.renewal = OAuth2TokenEndpoint.renewal(of: expires, from: now, leeway: leeway)
        return true
      }
    }

    /// Keeps a new token; returns it with the refresh token that counts from now on.
    func take(_ fresh: (token: Token, renewal: Date?)) -> Token {
      values.withLock { values in
        values.accessToken = fresh.token.accessToken
        values.expires = fresh.token.expires
        values.renewal = fresh.renewal
        var token = fresh.token
        guard case .refreshToken(let old) = values.grant else { return token }
        let current = token.refreshToken ?? old
        values.grant = .refreshToken(current)
        token.refreshToken = current
        return token
      }
    }
  }
}

extension OAuth2.Grant: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Middleware where Self == OAuth2 {
  /// Gets access tokens from an OAuth 2 token endpoint, and sends them. See ``FaradayMiddleware/OAuth2``.
  public static func oauth2(
    tokenURL: URL, client: OAuth2.Client, grant: OAuth2.Grant = .clientCredentials, scope: String? = nil,
    parameters: QueryParameters = [:], token: OAuth2.Token? = nil, leeway: Duration = .seconds(60),
    allowsCleartextEndpoint: Bool = false, over connection: Connection, now: @escaping @Sendable () -> Date = { Date() },
    onToken: OAuth2.TokenHandler? = nil
  ) -> Self {
    Self(
      tokenURL: tokenURL, client: client, grant: grant, scope: scope, parameters: parameters, token: token, leeway: leeway,
      allowsCleartextEndpoint: allowsCleartextEndpoint, over: connection, now: now, onToken: onToken)
  }
}
