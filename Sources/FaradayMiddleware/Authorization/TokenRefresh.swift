public import FaradayCore
internal import FaradaySupport
private import Synchronization

/// Sends a bearer token with every request, and refreshes it after a 401 response or before it expires. One refresh serves all
/// concurrent requests, which are then retried.
///
///     connection.use(.tokenRefresh { rejected in try await login.renew() })
///     connection.use(.tokenRefresh(isExpiring: { login.expires(of: $0) < .now + 60 }) { _ in try await login.renew() })
///
/// The 401 response is returned if the new token is rejected too, if the body cannot be sent again, or if the request has its
/// own `Authorization` header. Above ``StatusValidation``, the ``FaradayCore/StatusError`` of a 401 is handled in the same
/// way. An error of `refresh` is thrown to all requests that wait for it; the next request calls `refresh` again. After a 401
/// whose body could not be sent again, the next request starts with a refresh.
///
/// A cross-origin request gets no token (see ``FaradayCore/Request/isCrossOrigin``), and a 401 from another origin after a
/// redirect is returned unchanged.
///
/// Thread-safe; copies share their token. A request made within `refresh` or `isExpiring`, also by a child task or an
/// unstructured task created there, but not by a detached one, is sent without a token: waiting for the refresh would be a
/// deadlock.
public struct TokenRefresh: Middleware {
  /// Returns a new token for the rejected or expiring one. The argument is nil if there has been no token.
  public typealias Refresh = @Sendable (_ rejected: String?) async throws -> String
  /// Whether a token has expired, or will expire before the request arrives.
  public typealias Expiry = @Sendable (_ token: String) async -> Bool

  let store: Store
  private let maximumRefreshes: Int
  private let isExpiring: Expiry?
  private let refresh: Refresh
  /// Whether an expiring token stays usable after its refresh has failed with this error. Without this function no token is.
  var isUsable: (@Sendable (_ token: String, _ failure: any Error) -> Bool)?

  /// - Parameters:
  ///   - token: the initial token; without one `refresh` is called before the first request.
  ///   - maximumRefreshes: the maximum retries of one request with a new token, 1 by default. With 0 each request returns its
  ///     401, and the next request starts with a refresh.
  ///   - isExpiring: called with the token before each request; if it returns true, the request waits for a new token before it
  ///     is sent. Without it a token is used until it is rejected.
  ///   - refresh: returns a new token. Its argument is the rejected or expiring token, nil for the first call. Never called
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
      // A layer below may throw an error for a 401.
      let outcome: Result<Response, StatusError>
      do { outcome = .success(try await next(authorized)) } catch let error as StatusError { outcome = .failure(error) }
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

    /// Returns the current token, or a new one if there is none or if the current one was rejected or is expiring. If the
    /// refresh of an expiring token fails, the current token is returned while it is usable.
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

    /// Returns a token other than the rejected one: from a concurrent refresh, or from a new one.
    func replace(_ rejected: String?, by refresh: @escaping Refresh) async throws -> String {
      let fresh = try await fresh(rejected, by: refresh)
      // The shared refresh may have replaced an older rejected token.
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

extension Result where Success == Response, Failure == StatusError {
  /// The response, with an expected or unexpected status.
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
