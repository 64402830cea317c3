import Faraday
import Synchronization

/// The innermost middleware of a transfer: it notes each exchange, redirects and failed ones included, for what `-w` tells.
/// Thread-safe.
final class HopRecorder: Middleware {
  /// One exchange.
  struct Hop: Sendable {
    let request: Request
    let start: ContinuousClock.Instant
    /// Nil if it has failed, or not ended.
    var response: Response?

    /// Its metrics, which of a streamed response are complete when its body has ended.
    var metrics: TransferMetrics? { response?.metrics }
  }

  private let state = Mutex<[Hop]>([])

  /// The exchanges so far.
  var hops: [Hop] { state.withLock { $0 } }

  func handle(_ request: Request, next: Next) async throws -> Response {
    let place = state.withLock {
      $0.append(Hop(request: request, start: .now))
      return $0.count - 1
    }
    do {
      let response = try await next(request)
      set(response, at: place)
      return response
    } catch let error as TransportError {
      if let partial = error.partialResponse { set(partial, at: place) }
      throw error
    }
  }

  private func set(_ response: Response, at place: Int) {
    state.withLock { if $0.indices.contains(place) { $0[place].response = response } }
  }
}
