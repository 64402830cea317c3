#if Observability
public import FaradayCore
internal import Synchronization

/// Numbers the attempts of a request, for `http.request.resend_count`: stands above all middleware that may send a request
/// several times, such as redirects and retries. See ``Observability``.
public struct CountResends: Middleware {
  /// A middleware that numbers attempts.
  public init() {}

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    request.options.resends = Resends()
    return try await next(request)
  }
}

/// The number of attempts of a request so far. All are equal: requests that differ in nothing else may share a response
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
