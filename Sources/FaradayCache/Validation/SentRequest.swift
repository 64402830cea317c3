internal import FaradayCore
private import Synchronization

/// Stands next to the adapter, and knows what was sent last: middleware below the cache may have changed the request.
final class SentRequest: Middleware {
  private let state = Mutex<Request?>(nil)

  var last: Request? { state.withLock { $0 } }

  func handle(_ request: Request, next: Next) async throws -> Response {
    state.withLock { $0 = request }
    return try await next(request)
  }
}
