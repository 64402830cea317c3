public import FaradayCore

/// A private HTTP cache (RFC 9111): returns stored responses while they are fresh, and revalidates stale ones.
///
///     connection.use(.cache())                                                  // in memory
///     connection.use(.cache(in: try DiskCache("/var/cache/app")))               // on disk
///     connection.use(.cache(policy: .alwaysRevalidate))                         // conditional requests only
///     print(response.cacheResult?.description ?? "")                            // hit
///
/// - Stored: complete responses to GET requests that a private cache may store by RFC 9111, section 3, without their trailers
///   and cookies. A body is stored when it has been read to its end, in any delivery: buffered, streamed or by a callback. A
///   body that breaks off, is not read to its end, or is larger than ``CacheStore/maximumEntrySize`` is not stored.
/// - Handled: GET and HEAD, by the directives of request and response, `Vary`, `Expires`, `Age`, and heuristic freshness
///   (``Policy``). Stale responses are revalidated by `ETag` and `Last-Modified`, or returned if `max-stale`,
///   `stale-while-revalidate`, `stale-if-error` (RFC 5861) or ``FaradayCore/Options/cache`` allow it.
/// - Passed through unchanged: requests with a `Range`, with a precondition, or with a body. A 206 is never stored.
/// - Invalidated: the URL of a request with an unsafe method whose response is not an error, and the same-origin URLs in its
///   `Location` and `Content-Location`.
///
/// ``FaradayCore/Response/cacheResult`` reports the decisions. A response from the cache has an `Age`.
///
/// One user's response is not returned to another: responses are stored separately for each `Authorization`, `Cookie`, user in
/// the URL, `Host`, other field that ``FaradayCore/Request/secrets`` names, authentication, TLS, network and proxy options. If
/// middleware below the cache adds or changes one of them, nothing is stored. Place the cache below such middleware, next to
/// the adapter, where `use` of a ``FaradayCore/Connection`` adds it. There each redirect is cached separately.
///
/// Concurrent equal requests are not coalesced. Thread-safe.
public struct HTTPCache: Middleware {
  /// The decisions that RFC 9111 leaves to a cache.
  public struct Policy: Sendable, Hashable {
    /// The freshness lifetime of a response without an explicit one, as a fraction of the time since its last modification (RFC
    /// 9111, section 4.2.2). A tenth by default; 0 turns heuristic freshness off.
    public var lastModifiedFraction = 0.1
    /// The maximum heuristic lifetime; a day by default.
    public var maximumHeuristicLifetime: Duration = .seconds(86_400)
    /// The maximum number of concurrent revalidations in the background (`stale-while-revalidate`); 16 by default. Beyond it
    /// responses are returned stale, and a later request revalidates them.
    public var maximumRevalidations = 16
    /// Whether each request is sent to the server, and a stored response is returned only after a 304 Not Modified, as if every
    /// response had `Cache-Control: no-cache`. False by default.
    ///
    /// The cache then makes conditional requests (`If-None-Match`, `If-Modified-Since`; RFC 9110, section 13) and nothing else: it
    /// ignores freshness and never returns a stale response. It stores 200 responses with an `ETag` or a `Last-Modified`.
    /// ``CacheMode/onlyIfCached`` always returns 504.
    public var alwaysRevalidates = false

    /// Creates the default policy.
    public init() {}

    /// The default policy with ``alwaysRevalidates``: `connection.use(.cache(policy: .alwaysRevalidate))`.
    public static var alwaysRevalidate: Self {
      var policy = Self()
      policy.alwaysRevalidates = true
      return policy
    }
  }

  let store: any CacheStore
  let policy: Policy
  let now: @Sendable () -> Date
  let invalidations = RecentInvalidations()
  let revalidations: Revalidations

  /// - Parameters:
  ///   - store: the store of the responses; in memory by default.
  ///   - policy: the decisions that RFC 9111 leaves to a cache.
  ///   - now: the wall clock; tests pass a manual one.
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
    // The key is kept: the new response replaces the record, or removes it.
    if lookup.mode == .reload { found.response = nil }
    if let stored = found.response {
      switch Selection(of: stored, for: lookup.directives, mode: lookup.mode, now: time) {
      case .fresh:
        return stored.response(to: request, at: time, CacheResult(.hit, .unchanged))
      case .stale(let reason):
        return stored.response(to: request, at: time, CacheResult(.stale(reason), .unchanged))
      // The response to a request that must not be sent or stored would be useless in the background.
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

  /// Waits until no response is being revalidated in the background.
  package func revalidationsEnded() async { await revalidations.ended() }

  private func passBy(_ request: Request, _ reason: CacheResult.Reason, _ next: Next) async throws -> Response {
    var response: Response
    do { response = try await next(request) } catch {
      // The server has executed a request whose response is incomplete, or an error in a layer below.
      if let response = (error as? any FaradayError)?.response { await invalidate(request, response) }
      throw error
    }
    await invalidate(request, response)
    response.cacheResult = CacheResult(.bypassed(reason), .notStored(reason))
    return response
  }

  /// Invalidates the URLs that an unsafe request has changed (RFC 9111, section 4.4).
  private func invalidate(_ request: Request, _ response: Response) async {
    guard !request.method.isSafe, (200..<400).contains(response.status.code) else { return }
    var urls: Set = [Identity.normalized(request.url)]
    // A layer below has followed a redirect.
    if Origin(response.url) == Origin(request.url) { urls.insert(Identity.normalized(response.url)) }
    for name in [HTTPField.Name.location, .contentLocation] {
      for value in response.headers[values: name].prefix(4) {
        guard let url = URL(text: value, relativeTo: request.url)?.absoluteURL, Origin(url) == Origin(request.url) else {
          continue
        }
        urls.insert(Identity.normalized(url))
      }
    }
    for url in urls {
      // Recorded first: a response that is being stored sees the invalidation, or is removed. Recorded in the store too, for
      // other processes: a URL without stored responses has no index whose absence could be noticed.
      invalidations.insert(url)
      try? await store.store(CacheRecord(VariantIndex()), for: Identity.epochKey(ofNormalized: url))
      let index = Identity.indexKey(ofNormalized: url)
      // An index of a new generation lists no stored responses.
      do { try await store.remove(index) } catch { try? await store.store(CacheRecord(VariantIndex()), for: index) }
    }
  }
}

extension Request {
  /// The reason why the cache does not handle the request; nil if it does.
  fileprivate var bypassReason: CacheResult.Reason? {
    guard method == .get || method == .head else { return .method }
    guard options.cache != .noStore else { return .noStore }
    guard body.isEmpty, options.requestTarget == .origin, options.upgrade == nil else { return .unusualRequest }
    guard !headers.contains(.range) else { return .range }
    return Self.preconditions.contains { headers.contains($0) } ? .precondition : nil
  }

  /// The fields of preconditions (RFC 9110, section 13.1).
  private static let preconditions: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange]
}

extension Middleware where Self == HTTPCache {
  /// A private HTTP cache (RFC 9111); in memory by default.
  public static func cache(
    in store: any CacheStore = MemoryCache(), policy: HTTPCache.Policy = HTTPCache.Policy(), now: (@Sendable () -> Date)? = nil
  ) -> Self {
    Self(in: store, policy: policy, now: now)
  }
}
