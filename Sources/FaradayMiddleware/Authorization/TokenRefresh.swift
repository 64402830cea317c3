public import FaradayCore
private import Synchronization

/// Sends a bearer token with every request, and refreshes it after a 401 response or before it expires. One refresh serves all
/// concurrent requests, which are then sent again.
///
///     connection.use(.tokenRefresh { rejected in try await login.renew() })
///     connection.use(.tokenRefresh(isExpiring: { login.expires(of: $0) < .now + 60 }) { _ in try await login.renew() })
///
/// The 401 response is returned where the new token is rejected too, where the body cannot be sent again, or where the request
/// has an `Authorization` header of its own. Above ``ExpectStatus``, the ``FaradayCore/UnexpectedStatus`` of a 401 is handled in the
/// same way. What `refresh` throws is thrown to all requests that wait for it; the next request
/// calls it again. After a 401 whose body could not be sent again, the next request starts with a refresh.
///
/// A cross-origin request gets no token (see ``FaradayCore/Request/isCrossOrigin``), and the 401 of another origin that a
/// redirect led to is returned as it is.
///
/// Thread-safe; copies share their token. A request made within `refresh` or `isExpiring`, also by a child task or an
/// unstructured task created there, but not by a detached one, is sent without a token: waiting for the refresh would be a
/// deadlock.
public struct TokenRefresh: Middleware {
  /// Returns a new token in place of the rejected or expiring one, which is nil if there has been none.
  public typealias Refresh = @Sendable (_ rejected: String?) async throws -> String
  /// Whether a token has expired, or will before the request arrives.
  public typealias Expiry = @Sendable (_ token: String) async -> Bool

  let store: Store
  private let maximumRefreshes: Int
  private let isExpiring: Expiry?
  private let refresh: Refresh
  /// Whether an expiring token can be used although its refresh has failed with this error. Without it none can.
  var isUsable: (@Sendable (_ token: String, _ failure: any Error) -> Bool)?

  /// - Parameters:
  ///   - token: the initial token; without one `refresh` is called before the first request.
  ///   - maximumRefreshes: how many times one request is sent again with a new token, 1 by default. With 0 each keeps its 401,
  ///     and the next request starts with a refresh.
  ///   - isExpiring: called with the token before each request; if it returns true, the request waits for a new token before it
  ///     is sent. Without it a token is used until it is rejected.
  ///   - refresh: returns a new token for the one that was rejected or is expiring, nil for the first. Never called
  ///     concurrently. It is cancelled when all requests that wait for it are cancelled, and the next refresh starts when it
  ///     has ended.
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
    var token = try await store.token(unless: isExpiring, by: refresh, orIf: isUsable)
    var refreshes = 0
    while true {
      var authorized = request
      try authorized.headers.authorize(.bearer(token))
      // A layer below may make an error of a 401.
      let outcome: Result<Response, UnexpectedStatus>
      do { outcome = .success(try await next(authorized)) } catch let error as UnexpectedStatus { outcome = .failure(error) }
      let response = outcome.response
      guard response.status == .unauthorized, !response.wasRedirectedCrossOrigin else { return try outcome.get() }
      guard refreshes < maximumRefreshes, request.body.isReplayable else {
        if refreshes == 0 { store.reject(token) }
        return try outcome.get()
      }
      await response.body.discard()
      token = try await store.replace(token, by: refresh)
      refreshes += 1
    }
  }

  /// The token that all copies of a middleware share.
  final class Store: Sendable {
    private struct State {
      var token: String?
      var isRejected = false
    }

    private let state: Mutex<State>
    /// The new token, and the one that it replaced.
    let flight = SingleFlight<(token: String, replaced: String?)>()
    let work = Reentrancy()

    init(_ token: String?) { state = Mutex(State(token: token)) }

    /// The current token, or a new one if there is none, or it was rejected or is expiring. If the refresh of an expiring token
    /// fails, the current one as long as it is usable.
    func token(
      unless isExpiring: Expiry?, by refresh: @escaping Refresh, orIf isUsable: ((String, any Error) -> Bool)?
    ) async throws -> String {
      let state = state.withLock { $0 }
      guard let token = state.token, !state.isRejected else { return try await replace(state.token, by: refresh) }
      guard let isExpiring, try await work.run({ await isExpiring(token) }) else { return token }
      do {
        return try await replace(token, by: refresh)
      } catch {
        guard isUsable?(token, error) == true else { throw error }
        return token
      }
    }

    /// Marks a token as rejected after a 401 to a request that could not be sent again.
    func reject(_ token: String) { state.withLock { if $0.token == token { $0.isRejected = true } } }

    /// A token other than the rejected one: one that a concurrent refresh has brought, or a new one.
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

extension Result where Success == Response, Failure == UnexpectedStatus {
  /// The response, expected or not.
  fileprivate var response: Response {
    switch self {
    case .success(let response): response
    case .failure(let error): error.response
    }
  }
}

extension Middleware where Self == TokenRefresh {
  /// Sends a bearer token, and refreshes it after a 401 or before it expires. See ``FaradayMiddleware/TokenRefresh``.
  public static func tokenRefresh(
    token: String? = nil, maximumRefreshes: Int = 1, isExpiring: TokenRefresh.Expiry? = nil,
    refresh: @escaping TokenRefresh.Refresh
  ) -> Self {
    Self(token: token, maximumRefreshes: maximumRefreshes, isExpiring: isExpiring, refresh: refresh)
  }
}
