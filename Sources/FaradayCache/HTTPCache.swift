public import FaradayCore

/// A private HTTP cache (RFC 9111): answers requests with stored responses while they are fresh, and revalidates stale ones.
///
///     connection.use(.cache())                                                  // in memory
///     connection.use(.cache(in: try DiskCache("/var/cache/app")))               // on disk
///     print(response.cacheResult?.description ?? "")                            // hit
///
/// - What is stored: complete responses to GET requests that RFC 9111, section 3, lets a private cache store, with their trailers and
///   cookies left out. A body is stored when it has been read to its end, in any delivery: buffered, streamed or by a callback. One
///   that breaks off, that nobody reads to its end, or that is larger than ``CacheStore/maximumEntrySize``, is not.
/// - What is answered: GET and HEAD, by the directives of request and response, `Vary`, `Expires`, `Age`, and heuristic freshness
///   (``Policy``). Stale responses are revalidated by `ETag` and `Last-Modified`, or returned where `max-stale`,
///   `stale-while-revalidate`, `stale-if-error` (RFC 5861) or ``FaradayCore/Options/cache`` allow it.
/// - What passes by untouched: requests with a `Range`, with a precondition of their own, or with a body. A 206 is never stored.
/// - What is invalidated: the URL of a request with an unsafe method whose response is no error, and those of the same origin that its
///   `Location` and `Content-Location` name.
///
/// ``FaradayCore/Response/cacheResult`` says what was decided. A returned response has an `Age`.
///
/// One user's response is not returned to another: responses are stored apart for each `Authorization`, `Cookie`, user in the URL,
/// `Host`, other field that ``FaradayCore/Request/secrets`` names, authentication, TLS, network and proxy options. If middleware below
/// the cache adds or changes one of them, nothing is stored: so it belongs below those, next to the adapter, where `use` of a
/// ``FaradayCore/Connection`` puts it. There each redirect is cached by itself.
///
/// Concurrent requests for the same thing are not coalesced. Thread-safe.
public struct HTTPCache: Middleware {
  /// What RFC 9111 leaves to a cache.
  public struct Policy: Sendable, Hashable {
    /// The freshness lifetime of a response without an explicit one, as a fraction of the time for which it had not been modified
    /// (RFC 9111, section 4.2.2). A tenth by default; 0 turns heuristic freshness off.
    public var lastModifiedFraction = 0.1
    /// The longest heuristic lifetime; a day by default.
    public var maximumHeuristicLifetime: Duration = .seconds(86_400)
    /// How many responses may be revalidated in the background at a time (`stale-while-revalidate`); 16 by default. Beyond that they
    /// are returned stale, and a later request revalidates them.
    public var maximumRevalidations = 16

    /// The default policy.
    public init() {}
  }

  let store: any CacheStore
  let policy: Policy
  let now: @Sendable () -> Date
  let invalidations = RecentInvalidations()
  let revalidations: Revalidations

  /// - Parameters:
  ///   - store: where responses are kept; in memory by default.
  ///   - policy: what RFC 9111 leaves to a cache.
  ///   - now: the wall clock; tests pass their own.
  public init(
    in store: any CacheStore = MemoryCache(), policy: Policy = Policy(), now: (@Sendable () -> Date)? = nil
  ) {
    self.store = store
    self.policy = policy
    self.now = now ?? { Date() }
    revalidations = Revalidations(limit: max(0, policy.maximumRevalidations))
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    if let reason = request.bypassReason {
      let isOnlyIfCached = request.options.cache.isOnlyIfCached(RequestDirectives(request.headers))
      let mayBeSent = reason == .method || reason == .noStore || !isOnlyIfCached
      return mayBeSent ? try await passBy(request, reason, next) : Self.nothingStored(for: request)
    }
    try Task.checkCancellation()
    let lookup = Lookup(request)
    var found = await find(lookup)
    let time = now().timeIntervalSince1970
    // Its key stays: what comes back takes its place, or removes it.
    if lookup.mode == .reload { found.response = nil }
    if let stored = found.response {
      switch Selection(of: stored, for: lookup.directives, mode: lookup.mode, now: time) {
      case .fresh:
        return stored.response(to: request, at: time, CacheResult(.hit, .unchanged))
      case .stale(let reason):
        return stored.response(to: request, at: time, CacheResult(.stale(reason), .unchanged))
      // What a request that must not be stored brings back in the background would be of no use.
      case .revalidateMeanwhile where lookup.isOnlyIfCached || lookup.directives.noStore:
        break
      case .revalidateMeanwhile:
        revalidateInBackground(lookup, found, next)
        return stored.response(to: request, at: time, CacheResult(.stale(.revalidating), .unchanged))
      case .validate:
        break
      }
    }
    guard !lookup.isOnlyIfCached else { return Self.nothingStored(for: request) }
    return try await send(lookup, found, next)
  }

  private static func nothingStored(for request: Request) -> Response {
    var response = Response(status: .gatewayTimeout, url: request.url)
    response.cacheResult = CacheResult(.miss, .notStored(.onlyIfCached))
    return response
  }

  /// Waits until no response is revalidated in the background.
  package func revalidationsEnded() async { await revalidations.ended() }

  private func passBy(_ request: Request, _ reason: CacheResult.Reason, _ next: Next) async throws -> Response {
    var response = try await next(request)
    if !request.method.isSafe, (200..<400).contains(response.status.code) { await invalidate(request, response) }
    response.cacheResult = CacheResult(.bypassed(reason), .notStored(reason))
    return response
  }

  /// RFC 9111, section 4.4.
  private func invalidate(_ request: Request, _ response: Response) async {
    var urls: Set = [Identity.normalized(request.url)]
    for name in [HTTPField.Name.location, .contentLocation] {
      for value in response.headers[values: name].prefix(4) {
        guard let url = URL(text: value, relativeTo: request.url)?.absoluteURL, Origin(url) == Origin(request.url) else {
          continue
        }
        urls.insert(Identity.normalized(url))
      }
    }
    for url in urls {
      // Noted first: a response that is being stored sees it, or is removed. In the store too, for other processes: a URL of which
      // nothing is stored has no index that could be missed.
      invalidations.insert(url)
      try? await store.store(CacheRecord(VariantIndex()), for: Identity.epochKey(ofNormalized: url))
      let index = Identity.indexKey(ofNormalized: url)
      // An index of another generation lists nothing that is stored.
      do { try await store.remove(index) } catch { try? await store.store(CacheRecord(VariantIndex()), for: index) }
    }
  }
}

extension Request {
  /// Why a cache has nothing to do with it; nil if it has.
  fileprivate var bypassReason: CacheResult.Reason? {
    guard method == .get || method == .head else { return .method }
    guard options.cache != .noStore else { return .noStore }
    guard body.isEmpty, options.requestTarget == .origin else { return .unusualRequest }
    guard !headers.contains(.range) else { return .range }
    return Self.preconditions.contains { headers.contains($0) } ? .precondition : nil
  }

  /// RFC 9110, section 13.1.
  private static let preconditions: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange]
}

extension Middleware where Self == HTTPCache {
  /// A private HTTP cache (RFC 9111); in memory, unless another store is given.
  public static func cache(
    in store: any CacheStore = MemoryCache(), policy: HTTPCache.Policy = HTTPCache.Policy(), now: (@Sendable () -> Date)? = nil
  ) -> Self {
    Self(in: store, policy: policy, now: now)
  }
}
