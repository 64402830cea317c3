public import FaradayCore
private import Synchronization

/// Sends a bearer token, and gets a new one when the server answers 401: once for all requests that wait for it, which are then
/// sent again.
///
///     connection.use(.tokenRefresh { rejected in try await login.renew() })
///     connection.use(.tokenRefresh(isExpiring: { login.expires(of: $0) < .now + 60 }) { _ in try await login.renew() })
///
/// The 401 is the response in the end where the new token is refused too, where the body cannot be sent again, or where the
/// request has an `Authorization` of its own. What `refresh` throws is thrown to all that wait; the next request asks again. Where
/// the body cannot be sent again, the next request begins with a new token.
///
/// A foreign request gets no token (see ``FaradayCore/Request/isCrossOrigin``), and the 401 of another origin that a redirect led to
/// is the response.
///
/// Copies share their token. A request that is made within `refresh` or `isExpiring`, also by a task begun there that is not a
/// detached one, passes without a token: it would wait for itself.
public struct TokenRefresh: Middleware {
  public typealias Refresh = @Sendable (_ rejected: String?) async throws -> String
  public typealias Expiry = @Sendable (_ token: String) async -> Bool

  let store: Store
  private let maximumRefreshes: Int
  private let isExpiring: Expiry?
  private let refresh: Refresh

  /// - Parameters:
  ///   - token: the one to begin with; without one `refresh` is asked before the first request.
  ///   - maximumRefreshes: how often one request is sent again with a new token. With 0 each keeps its 401, and the next begins
  ///     with a new token.
  ///   - isExpiring: asked of the token before each request; if it says true, the request waits for a new one before it is
  ///     sent. Without it a token is used until it is rejected.
  ///   - refresh: gives a new token for the one that was rejected or expires, nil for the first. Never called while it
  ///     runs: where all who waited for it were cancelled, so is it, and the next who want a token wait until it has ended.
  public init(token: String? = nil, maximumRefreshes: Int = 1, isExpiring: Expiry? = nil, refresh: @escaping Refresh) {
    store = Store(token)
    self.maximumRefreshes = maximumRefreshes
    self.isExpiring = isExpiring
    self.refresh = refresh
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard !request.isCrossOrigin, request.headers[.authorization] == nil, !store.work.isInside else {
      return try await next(request)
    }
    var token = try await store.token(unless: isExpiring, by: refresh)
    var refreshes = 0
    while true {
      var authorized = request
      try authorized.headers.authorize(.bearer(token))
      let response = try await next(authorized)
      guard response.status == .unauthorized, !response.wasRedirectedCrossOrigin else { return response }
      guard refreshes < maximumRefreshes, request.body.isReplayable else {
        if refreshes == 0 { store.reject(token) }
        return response
      }
      await response.body.discard()
      token = try await store.replace(token, by: refresh)
      refreshes += 1
    }
  }

  /// The token that the copies of a middleware share.
  final class Store: Sendable {
    private struct State {
      var token: String?
      var isRejected = false
    }

    private let state: Mutex<State>
    /// A token, and the one it took the place of.
    let flight = SingleFlight<(token: String, replaced: String?)>()
    let work = Reentrancy()

    init(_ token: String?) { state = Mutex(State(token: token)) }

    /// The token, or a new one if there is none, or it was rejected or expires.
    func token(unless isExpiring: Expiry?, by refresh: @escaping Refresh) async throws -> String {
      let state = state.withLock { $0 }
      guard let token = state.token, !state.isRejected else { return try await replace(state.token, by: refresh) }
      guard let isExpiring, try await work.run({ await isExpiring(token) }) else { return token }
      return try await replace(token, by: refresh)
    }

    /// Notes that a token was rejected by a request that could not be sent again.
    func reject(_ token: String) { state.withLock { if $0.token == token { $0.isRejected = true } } }

    /// A token other than the rejected one: what somebody else has got meanwhile, or a new one.
    func replace(_ rejected: String?, by refresh: @escaping Refresh) async throws -> String {
      let fresh = try await fresh(rejected, by: refresh)
      // It may be the outcome for somebody who was rejected with an older one.
      let isOlder = fresh.token == rejected && fresh.replaced != rejected
      return isOlder ? try await self.fresh(rejected, by: refresh).token : fresh.token
    }

    private func fresh(_ rejected: String?, by refresh: @escaping Refresh) async throws -> (token: String, replaced: String?) {
      try await flight.value { [self] in
        let current = state.withLock { $0 }
        if let token = current.token, token != rejected, !current.isRejected { return (token, nil) }
        let fresh = try await work.run { try await refresh(current.token) }
        state.withLock { $0 = State(token: fresh) }
        return (fresh, current.token)
      }
    }
  }
}

extension Middleware where Self == TokenRefresh {
  /// Sends a bearer token, and gets a new one when it is rejected, or before it expires.
  public static func tokenRefresh(
    token: String? = nil, maximumRefreshes: Int = 1, isExpiring: TokenRefresh.Expiry? = nil,
    refresh: @escaping TokenRefresh.Refresh
  ) -> Self {
    Self(token: token, maximumRefreshes: maximumRefreshes, isExpiring: isExpiring, refresh: refresh)
  }
}
