#if Observability
public import FaradayCore
public import Metrics
internal import Synchronization

/// Numbers the attempts of a request, for `http.request.resend_count`, and counts the retries that a `RetryBudget` has
/// rejected. Add it above all middleware that may send a request several times, such as redirects and retries. See
/// ``Observability``.
///
/// The counter is `faraday.client.retries.refused`, with the dimensions `http.request.method`, `server.address` and
/// `server.port`.
public struct CountResends: Middleware {
  private let metrics: (any MetricsFactory)?

  /// A middleware that numbers attempts.
  ///
  /// - Parameter metrics: creates the counter; by default the factory of `MetricsSystem` when a retry is rejected.
  public init(metrics: (any MetricsFactory)? = nil) { self.metrics = metrics }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var counted = request
    counted.options.resends = Resends()
    do {
      let response = try await next(counted)
      if response.isRetryRefused { countRefusal(of: request) }
      return response
    } catch {
      if error.countsAsRetryRefused { countRefusal(of: request) }
      throw error
    }
  }

  private func countRefusal(of request: Request) {
    let dimensions = ExchangeAttributes(request).dimensions(status: nil, version: nil, error: nil).prefix(3)
    Counter(label: "faraday.client.retries.refused", dimensions: Array(dimensions), factory: metrics ?? MetricsSystem.factory)
      .increment()
  }
}

/// The number of attempts of a request so far. All values are equal, so that otherwise equal requests can share a response
/// (coalescing).
final class Resends: Sendable, Hashable {
  private let count = Atomic<Int>(0)

  /// 0 for the first attempt.
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }

  static func == (left: Resends, right: Resends) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension Options {
  var resends: Resends? {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }

  private enum Key: OptionKey { static let defaultValue: Resends? = nil }
}

extension Middleware where Self == CountResends {
  /// Numbers the attempts of a request, for `http.request.resend_count`. See ``FaradayObservability/Observability``.
  public static var countResends: Self { Self() }
}
#endif
