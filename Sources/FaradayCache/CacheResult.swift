public import FaradayCore

/// What an ``HTTPCache`` has decided for a request: where its response came from, and whether it was stored.
///
///     print(response.cacheResult?.description ?? "no cache")     // hit; miss, stored; bypassed (range), not stored (range)
public struct CacheResult: Sendable, Hashable {
  /// Where the response came from.
  public enum Outcome: Sendable, Hashable {
    /// From the cache, fresh: nothing was sent.
    case hit
    /// From the server. Also the 504 of a request that must not be sent.
    case miss
    /// From the cache: the server has confirmed it by a 304.
    case revalidated
    /// From the cache, stale, for the reason: ``Reason/maxStale``, ``Reason/revalidating``, ``Reason/serverError``,
    /// ``Reason/unreachable`` or ``Reason/requested``.
    case stale(Reason)
    /// From the server: the request cannot be answered by a cache, or does not want to, for the reason.
    case bypassed(Reason)
  }

  /// Whether the response was stored.
  public enum Storing: Sendable, Hashable {
    /// It is the stored one.
    case unchanged
    /// It was stored, or the stored one was updated.
    case stored
    /// It will be stored when its body has been read to the end.
    case onceRead
    /// It was not stored, for the reason.
    case notStored(Reason)
  }

  /// Why: one of the members, or another in a later version.
  public struct Reason: Sendable, Hashable, RawRepresentable {
    /// A few words in English.
    public let rawValue: String
    /// A reason in a few words.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request accepts stale responses: `Cache-Control: max-stale`.
    public static let maxStale = Self(rawValue: "max-stale")
    /// `stale-while-revalidate`: it is revalidated in the background.
    public static let revalidating = Self(rawValue: "stale-while-revalidate")
    /// `stale-if-error`, and the server has answered 500, 502, 503 or 504.
    public static let serverError = Self(rawValue: "stale-if-error after a server error")
    /// `stale-if-error`, and the server could not be reached.
    public static let unreachable = Self(rawValue: "stale-if-error after a failed request")
    /// ``CacheMode/preferCached`` or ``CacheMode/onlyIfCached``.
    public static let requested = Self(rawValue: "asked for by the request")

    /// The method is not GET or HEAD; or, of storing, not GET.
    public static let method = Self(rawValue: "method")
    /// The request has a `Range`.
    public static let range = Self(rawValue: "range")
    /// The request has a precondition of its own: its answer is for its maker.
    public static let precondition = Self(rawValue: "precondition")
    /// The request has a body, or a target that is no path.
    public static let unusualRequest = Self(rawValue: "unusual request")
    /// ``CacheMode/noStore``, or `no-store` in request or response.
    public static let noStore = Self(rawValue: "no-store")
    /// `only-if-cached`, or ``CacheMode/onlyIfCached``, and there is nothing to return.
    public static let onlyIfCached = Self(rawValue: "only-if-cached")
    /// The status: a part (206), or one that is stored only where the server says how long it is fresh.
    public static let status = Self(rawValue: "status")
    /// `Vary: *`, or a `Vary` that names no fields.
    public static let vary = Self(rawValue: "vary")
    /// It is never fresh, and has no validator: it could not be used.
    public static let neverFresh = Self(rawValue: "never fresh")
    /// It is larger than the store takes.
    public static let tooLarge = Self(rawValue: "too large")
    /// A middleware below has sent something else: other credentials, another URL, other fields that `Vary` names.
    public static let changedBelow = Self(rawValue: "the request was changed below the cache")
    /// A middleware below has answered without this request, such as one that shares a response with an equal request.
    public static let answeredBelow = Self(rawValue: "answered below the cache")
    /// The URL was invalidated, or something newer was stored, while the response came.
    public static let superseded = Self(rawValue: "superseded meanwhile")
    /// The store has thrown an error.
    public static let storeFailed = Self(rawValue: "the store failed")
  }

  /// Where the response came from.
  public let outcome: Outcome
  /// Whether the response was stored.
  public let storing: Storing

  /// A result, for tests to compare with.
  public init(_ outcome: Outcome, _ storing: Storing) {
    self.outcome = outcome
    self.storing = storing
  }

  /// Whether the body came from the cache: a hit, revalidated or stale.
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
  /// What an ``FaradayCache/HTTPCache`` has decided; nil if none has handled the request.
  public internal(set) var cacheResult: CacheResult? {
    get { self[CacheResultKey.self] }
    set { self[CacheResultKey.self] = newValue }
  }
}

private enum CacheResultKey: ResponseKey { typealias Value = CacheResult }
