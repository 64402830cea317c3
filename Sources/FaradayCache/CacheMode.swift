public import FaradayCore

/// The way in which a request uses an ``HTTPCache``: `request.options.cache = .reload`.
///
/// The `Cache-Control` field of the request applies as well; RFC 9111, section 5.2.1, defines its directives.
public enum CacheMode: Sendable, Hashable, CaseIterable {
  /// The rules of RFC 9111: a fresh response is returned, a stale one is revalidated. The default.
  case automatic
  /// Sends every request to the server, with `Cache-Control: no-cache` for intermediate caches, and stores the response.
  case reload
  /// Bypasses the cache: nothing is read from it or stored in it.
  case noStore
  /// Returns a stored response of any age, and sends the request only if there is none. A response that must not be used stale
  /// (`must-revalidate`, `no-cache`) is revalidated.
  case preferCached
  /// Returns a stored response of any age, and never sends the request. It returns 504 Gateway Timeout if there is no stored
  /// response, if the response must not be used stale, or if the cache does not handle the request (a `Range`, a precondition,
  /// a body). Applies to GET and HEAD: other methods are sent. The directive `only-if-cached` is similar, but accepts only
  /// fresh responses.
  case onlyIfCached

  /// Whether a request with these directives must not be sent.
  func isOnlyIfCached(_ directives: RequestDirectives) -> Bool {
    self == .onlyIfCached || directives.onlyIfCached && self != .reload
  }
}

extension Options {
  /// The way in which the request uses an ``FaradayCache/HTTPCache``; ``FaradayCache/CacheMode/automatic`` by default. Without
  /// that middleware it has no effect.
  public var cache: CacheMode {
    get { self[CacheModeKey.self] }
    set { self[CacheModeKey.self] = newValue }
  }
}

private enum CacheModeKey: OptionKey { static let defaultValue = CacheMode.automatic }
