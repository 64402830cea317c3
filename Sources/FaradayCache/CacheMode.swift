public import FaradayCore

/// How a request uses an ``HTTPCache``: `request.options.cache = .reload`.
///
/// The request's own `Cache-Control` field counts as well; RFC 9111, section 5.2.1, has its directives.
public enum CacheMode: Sendable, Hashable, CaseIterable {
  /// As RFC 9111 says: what is fresh is returned, what is stale is revalidated. The default.
  case automatic
  /// Goes to the server whatever is stored, with `Cache-Control: no-cache` for the caches on the way, and stores what comes back.
  case reload
  /// Passes the cache by: nothing is read from it, nothing is stored.
  case noStore
  /// Returns what is stored whatever its age is, and goes to the server only if there is nothing. What the server has forbidden to
  /// use stale (`must-revalidate`, `no-cache`) is revalidated.
  case preferCached
  /// Returns what is stored whatever its age is, and never goes to the server: 504 Gateway Timeout if there is nothing, or only what the
  /// server has forbidden to use stale, or the cache has nothing to do with such a request (a `Range`, a precondition, a body). For
  /// GET and HEAD: other methods are sent. The directive `only-if-cached` is like it, but takes only what is fresh.
  case onlyIfCached

  /// Whether a request with these directives must not be sent.
  func isOnlyIfCached(_ directives: RequestDirectives) -> Bool {
    self == .onlyIfCached || directives.onlyIfCached && self != .reload
  }
}

extension Options {
  /// How the request uses an ``FaradayCache/HTTPCache``; ``FaradayCache/CacheMode/automatic`` by default. Without such a middleware it has no effect.
  public var cache: CacheMode {
    get { self[CacheModeKey.self] }
    set { self[CacheModeKey.self] = newValue }
  }
}

private enum CacheModeKey: OptionKey { static let defaultValue = CacheMode.automatic }
