internal import FaradayCore

/// What a middleware above ``Retry`` does with a response after which the request is sent again: ``Cookies`` stores the cookies of
/// the response, and adds them to the request.
///
/// All are equal: requests that differ in nothing else may share a response (``Coalescing``).
struct RetriedResponses: Sendable, Hashable {
  /// Gets the response, whose body may still be streamed, and the request, which it may change.
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
