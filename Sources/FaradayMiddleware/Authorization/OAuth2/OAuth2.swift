public import FaradayCore
private import Synchronization

/// Gets access tokens from an OAuth 2 token endpoint, and sends them as bearer tokens (RFC 6749, RFC 6750).
///
///     connection.use(
///       .oauth2(
///         tokenURL: url, client: OAuth2.Client(id: "app", secret: secret), scope: "read",
///         over: Connection(adapter: CurlAdapter())))
///
/// A token is requested before the first request, again before it expires, and after a 401 response; one token request serves
/// all concurrent requests (single flight). After a 401 a request is retried by the rules of ``TokenRefresh``: this middleware
/// is a `TokenRefresh` whose tokens come from the endpoint. A cross-origin request gets no token.
///
/// The token endpoint is requested over a separate connection, which must not have this middleware. The default options of that
/// connection apply, such as timeouts. Its redirects are not followed, because the request contains the client's secret. The
/// endpoint must be `https` unless `allowsCleartextEndpoint` is true.
///
/// The ``Grant`` gets the first token. If the endpoint returns a refresh token, it gets the next tokens. When the endpoint
/// replaces the refresh token (rotation), the new one is used. (Not with the client credentials grant: RFC 6749, section
/// 4.4.3.) If the endpoint refuses a refresh token with `invalid_grant`, a password is used again. Requests that are cancelled
/// do not cancel a token request in flight, because its response may contain the only valid refresh token.
///
/// If a token request fails, all requests that wait for the token throw ``OAuth2Error``, and the next request starts a new
/// token request. While a renewal before the expiry fails with a transient error, such as a 503 of the endpoint, the current
/// token is used until it expires, and the next renewal starts after half of the remaining time. Thread-safe; copies share
/// their token.
public struct OAuth2: Middleware {
  /// Called with each new token, before it is used: the place to save a refresh token that has been replaced.
  public typealias TokenHandler = @Sendable (_ token: OAuth2.Token) async -> Void

  let tokens: TokenRefresh

  /// - Parameters:
  ///   - tokenURL: the token endpoint.
  ///   - client: the client's identifier and secret, and how they are sent.
  ///   - grant: the grant for the first token: the client credentials by default.
  ///   - scope: the requested scopes, separated by spaces; nil requests the default of the server.
  ///   - parameters: further parameters of the token request, such as `audience` or `resource`.
  ///   - token: an initial token, from an earlier run; its refresh token is used before the grant. None by default.
  ///   - leeway: how long before its expiry a token is renewed: 60 seconds by default, and at most half of a token's lifetime. A
  ///     token without `expires_in` is renewed after a 401 only.
  ///   - allowsCleartextEndpoint: whether the endpoint may be `http`. False by default.
  ///   - connection: the connection to the endpoint.
  ///   - now: the clock for expiry.
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
        // In its own task: the cancellation of a request must not lose a rotated refresh token.
        try await Task {
          let token = try await state.take(state.fresh(from: endpoint))
          await onToken?(token)
          return token.accessToken
        }.value
      })
    tokens.isUsable = { token, failure in
      failure.countsAsTransient && state.postponesRenewal(of: token, at: now(), leeway: leeway)
    }
    self.tokens = tokens
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    try await tokens.handle(request, next: next)
  }

  /// The current token, and the grant for the next.
  private final class State: Sendable {
    private struct Values {
      let grant: Grant
      var refreshToken: String?
      /// Whether the grant has been used to get a token.
      var isGrantUsed = false
      var accessToken: String?
      var expires: Date?
      var renewal: Date?
    }
    private let values: Mutex<Values>

    init(_ grant: Grant, token: Token?, leeway: Duration, now: Date) {
      values = Mutex(
        Values(
          grant: grant, refreshToken: grant.mayGetRefreshToken ? token?.refreshToken : nil, accessToken: token?.accessToken,
          expires: token?.expires, renewal: token?.expires.map { OAuth2TokenEndpoint.renewal(of: $0, from: now, leeway: leeway) })
      )
    }

    /// Gets a new token with the refresh token, or else with the grant.
    func fresh(from endpoint: OAuth2TokenEndpoint) async throws -> (token: Token, renewal: Date?) {
      let (grant, refreshToken, isGrantUsed) = values.withLock { ($0.grant, $0.refreshToken, $0.isGrantUsed) }
      if let refreshToken {
        do { return try await endpoint.token(byStored: refreshToken) } catch let error as OAuth2Error {
          guard grant.isReusable, case .refused("invalid_grant", _) = error.reason else { throw error }
          values.withLock { if $0.refreshToken == refreshToken { $0.refreshToken = nil } }
        }
      }
      guard !isGrantUsed || grant.isReusable else { throw OAuth2Error(reason: .authorizationExpired, request: nil) }
      do { return try await endpoint.token(by: grant) } catch {
        // RFC 6749, section 4.1.2: a code must not be sent twice.
        if case .authorizationCode = grant, !error.provesUnusedCode { values.withLock { $0.isGrantUsed = true } }
        throw error
      }
    }

    func isExpiring(_ token: String, at now: Date) -> Bool {
      values.withLock { values in values.accessToken == token && values.renewal.map { $0 <= now } ?? false }
    }

    /// Postpones the renewal of a token that has not expired by half of the remaining time. Returns false if the token has
    /// expired.
    func postponesRenewal(of token: String, at now: Date, leeway: Duration) -> Bool {
      values.withLock { values in
        guard values.accessToken == token, let expires = values.expires, expires > now else { return false }
        values.renewal = OAuth2TokenEndpoint.renewal(of: expires, from: now, leeway: leeway)
        return true
      }
    }

    /// Stores a new token. Returns it with the refresh token that is valid from now on.
    func take(_ fresh: (token: Token, renewal: Date?)) -> Token {
      values.withLock { values in
        values.accessToken = fresh.token.accessToken
        values.expires = fresh.token.expires
        values.renewal = fresh.renewal
        values.isGrantUsed = true
        guard values.grant.mayGetRefreshToken else { return fresh.token }
        values.refreshToken = fresh.token.refreshToken ?? values.refreshToken ?? values.grant.refreshToken
        var token = fresh.token
        token.refreshToken = values.refreshToken
        return token
      }
    }
  }
}

extension Error {
  /// Whether the token endpoint has not consumed the authorization code: the request was not sent, or the status is transient.
  fileprivate var provesUnusedCode: Bool {
    if let error = self as? OAuth2Error { return error.isTransient || error.reason == .insecureEndpoint }
    guard let error = self as? TransportError else { return false }
    return [.building, .resolving, .connecting, .tls].contains(error.phase)
  }
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
