internal import FaradayCore

/// A callback of middleware above ``Retry`` for responses that are retried: ``Cookies`` stores their cookies, and adds them to
/// the retry.
///
/// All values are equal, so that ``Coalescing`` shares the responses of otherwise equal requests.
struct RetriedResponses: Sendable, Hashable {
  /// Called with the response, whose body may still be streamed, and with the request, which it can change.
  var note: (@Sendable (Response, inout Request) -> Void)?

  static func == (left: RetriedResponses, right: RetriedResponses) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension Options {
  /// Set by middleware above ``Retry``.
  var retriedResponses: RetriedResponses {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }

  private enum Key: OptionKey { static let defaultValue = RetriedResponses() }
}
