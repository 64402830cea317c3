import Faraday
import Synchronization

/// The innermost middleware of a transfer: it notes each exchange, redirects and failed ones included, for what `-w` tells.
/// Thread-safe.
final class HopRecorder: Middleware {
  /// One exchange.
  struct Hop: Sendable {
    let request: Request
    let start: ContinuousClock.Instant
    /// How many heads had been received before it.
    var earlierHeads = 0
    /// Nil if it has failed, or not ended.
    var response: Response?
    /// The metrics of one that has failed.
    fileprivate(set) var failedMetrics: TransferMetrics?

    /// Its metrics, which of a streamed response are complete when its body has ended.
    var metrics: TransferMetrics? { response?.metrics ?? failedMetrics }
  }

  private let state = Mutex<[Hop]>([])
  private let heads: HeadQueue

  init(heads: HeadQueue = HeadQueue()) { self.heads = heads }

  /// The exchanges so far.
  var hops: [Hop] { state.withLock { $0 } }

  func handle(_ request: Request, next: Next) async throws -> Response {
    let place = state.withLock {
      $0.append(Hop(request: request, start: .now, earlierHeads: heads.statuses.count))
      return $0.count - 1
    }
    do {
      let response = try await next(request)
      state.withLock { $0[place].response = response }
      return response
    } catch let error as TransportError {
      state.withLock { ($0[place].response, $0[place].failedMetrics) = (error.partialResponse, error.metrics) }
      throw error
    }
  }
}
