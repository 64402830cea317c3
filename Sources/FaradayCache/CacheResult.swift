public import FaradayCore

/// The decisions of an ``HTTPCache`` about a request: the source of its response, and whether it was stored.
///
///     print(response.cacheResult?.description ?? "no cache")     // hit; miss, stored; bypassed (range), not stored (range)
public struct CacheResult: Sendable, Hashable {
  /// The source of the response.
  public enum Outcome: Sendable, Hashable {
    /// The cache had a fresh response: nothing was sent.
    case hit
    /// The response came from the server. Also the 504 of a request that must not be sent.
    case miss
    /// The response came from the cache: the server has confirmed it with a 304.
    case revalidated
    /// The cache returned a stale response, with the reason: ``Reason/maximumStale``, ``Reason/revalidating``,
    /// ``Reason/serverError``, ``Reason/unreachable`` or ``Reason/requested``.
    case stale(Reason)
    /// The response came from the server, because a cache cannot or must not handle the request, with the reason.
    case bypassed(Reason)
  }

  /// Whether the response was stored.
  public enum Storing: Sendable, Hashable {
    /// The response is the stored one.
    case unchanged
    /// The response was stored, or the stored response was updated.
    case stored
    /// The response will be stored when its body has been read to the end.
    case onceRead
    /// The response was not stored, with the reason.
    case notStored(Reason)
  }

  /// The reason: one of the members, or another one in a later version.
  public struct Reason: Sendable, Hashable, RawRepresentable {
    /// A short text in English.
    public let rawValue: String
    /// Creates a reason with a short text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request accepts stale responses: `Cache-Control: max-stale`.
    public static let maximumStale = Self(rawValue: "max-stale")
    /// `stale-while-revalidate`: the response is revalidated in the background.
    public static let revalidating = Self(rawValue: "stale-while-revalidate")
    /// `stale-if-error`, and the server has returned 500, 502, 503 or 504.
    public static let serverError = Self(rawValue: "stale-if-error after a server error")
    /// `stale-if-error`, and the server could not be reached.
    public static let unreachable = Self(rawValue: "stale-if-error after a failed request")
    /// ``CacheMode/preferCached`` or ``CacheMode/onlyIfCached``.
    public static let requested = Self(rawValue: "requested")

    /// The method is not GET or HEAD; for storing, it is not GET.
    public static let method = Self(rawValue: "method")
    /// The request has a `Range`.
    public static let range = Self(rawValue: "range")
    /// The request has a precondition, so its response is for the caller.
    public static let precondition = Self(rawValue: "precondition")
    /// The request has a body, or its target is not a path.
    public static let unusualRequest = Self(rawValue: "unusual request")
    /// ``CacheMode/noStore``, or `no-store` in request or response.
    public static let noStore = Self(rawValue: "no-store")
    /// `only-if-cached`, or ``CacheMode/onlyIfCached``, and there is nothing to return.
    public static let onlyIfCached = Self(rawValue: "only-if-cached")
    /// The status is 206 (a part), or can be stored only with an explicit lifetime.
    public static let status = Self(rawValue: "status")
    /// `Vary: *`, or a `Vary` with invalid field names.
    public static let vary = Self(rawValue: "vary")
    /// The response is never fresh, and has no validator: it could not be used.
    public static let neverFresh = Self(rawValue: "never fresh")
    /// The response exceeds the size limit of the store.
    public static let tooLarge = Self(rawValue: "too large")
    /// A middleware below has changed the request: other credentials, another URL, or other fields that `Vary` names.
    public static let changedBelow = Self(rawValue: "the request was changed below the cache")
    /// A middleware below has returned a response without sending this request, for instance a response that it shares with an
    /// equal request.
    public static let answeredBelow = Self(rawValue: "response of a middleware below the cache")
    /// The URL was invalidated, or a newer response was stored, before this response was complete.
    public static let superseded = Self(rawValue: "superseded meanwhile")
    /// The store has thrown an error.
    public static let storeFailed = Self(rawValue: "the store failed")
  }

  /// The source of the response.
  public let outcome: Outcome
  /// Whether the response was stored.
  public let storing: Storing

  /// Creates a result, for comparisons in tests.
  package init(_ outcome: Outcome, _ storing: Storing) {
    self.outcome = outcome
    self.storing = storing
  }

  /// Whether the body came from the cache: a hit, a revalidated or a stale response.
  public var isFromCache: Bool {
    switch outcome {
    case .hit, .revalidated, .stale: true
    case .miss, .bypassed: false
    }
  }
}

extension CacheResult: CustomStringConvertible {
  /// One line: `miss, not stored (no-store)`.
  public var description: String {
    let source =
      switch outcome {
      case .hit: "hit"
      case .miss: "miss"
      case .revalidated: "revalidated"
      case .stale(let reason): "stale (\(reason.rawValue))"
      case .bypassed(let reason): "bypassed (\(reason.rawValue))"
      }
    return switch storing {
    case .unchanged: source
    case .stored: source + ", stored"
    case .onceRead: source + ", stored once it is read"
    case .notStored(let reason): source + ", not stored (\(reason.rawValue))"
    }
  }
}

extension Response {
  /// The decisions of an ``FaradayCache/HTTPCache``; nil if no cache has handled the request.
  public internal(set) var cacheResult: CacheResult? {
    get { self[CacheResultKey.self] }
    set { self[CacheResultKey.self] = newValue }
  }
}

private enum CacheResultKey: ResponseKey { typealias Value = CacheResult }
