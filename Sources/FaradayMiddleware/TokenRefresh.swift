public import FaradayCore
private import Synchronization

/// Sends a bearer token, and gets a new one when the server answers 401: once for all requests that wait for it, which are then
/// sent again.
///
///     connection.use(.tokenRefresh { rejected in try await login.renew() })
///
/// The 401 is the response in the end where the new token is refused too, where the body cannot be sent again, or where the
/// request has an `Authorization` of its own. What `refresh` throws is thrown to all that wait; the next request asks again. A
/// foreign request gets no token: see ``FaradayCore/Options/isForeign``.
///
/// Copies share their token. One that is used within `refresh` would wait for itself: use a connection without it there.
public struct TokenRefresh: Middleware {
  public typealias Refresh = @Sendable (_ rejected: String?) async throws -> String

  private let store: Store
  private let maximumRefreshes: Int
  private let refresh: Refresh

  /// - Parameters:
  ///   - token: the one to begin with; without one `refresh` is asked before the first request.
  ///   - maximumRefreshes: how often one request is sent again with a new token.
  ///   - refresh: gives a new token for the one that was rejected, nil for the first. Never called while it
  ///     runs: where all who waited for it were cancelled, so is it, and the next who want a token wait until it has ended.
  public init(token: String? = nil, maximumRefreshes: Int = 1, refresh: @escaping Refresh) {
    store = Store(token)
    self.maximumRefreshes = maximumRefreshes
    self.refresh = refresh
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard !request.options.isForeign, request.headers[.authorization] == nil else { return try await next(request) }
    var token: String
    if let known = store.token { token = known } else { token = try await store.replace(nil, by: refresh) }
    var refreshes = 0
    while true {
      var authorized = request
      try authorized.headers.authorize(.bearer(token))
      let mayRepeat = refreshes < maximumRefreshes && request.body.isReplayable
      let sent = try await Withholding.send(authorized, next: next) { mayRepeat && $0.status == .unauthorized }
      guard sent.isWithheld else { return sent.response }
      await sent.drain()
      token = try await store.replace(token, by: refresh)
      refreshes += 1
    }
  }

  private final class Store: Sendable {
    private let current: Mutex<String?>
    private let flight = SingleFlight<String>()

    init(_ token: String?) { current = Mutex(token) }

    var token: String? { current.withLock { $0 } }

    /// A token other than the rejected one: what somebody else has got meanwhile, or a new one.
    func replace(_ rejected: String?, by refresh: @escaping Refresh) async throws -> String {
      let token = try await fresh(rejected, by: refresh)
      // It may be the outcome for somebody who was rejected with an older one.
      return token == rejected ? try await fresh(rejected, by: refresh) : token
    }

    private func fresh(_ rejected: String?, by refresh: @escaping Refresh) async throws -> String {
      try await flight.value { [self] in
        if let token, token != rejected { return token }
        let fresh = try await refresh(rejected)
        current.withLock { $0 = fresh }
        return fresh
      }
    }
  }
}

extension Middleware where Self == TokenRefresh {
  /// Sends a bearer token, and gets a new one when it is rejected.
  public static func tokenRefresh(
    token: String? = nil, maximumRefreshes: Int = 1, refresh: @escaping TokenRefresh.Refresh
  ) -> Self {
    Self(token: token, maximumRefreshes: maximumRefreshes, refresh: refresh)
  }
}
