internal import FaradayCore

/// The decision whether and how to return a stored response (RFC 9111, section 4).
enum Selection {
  /// Return it without contacting the server.
  case fresh
  /// Return it although it is stale, with the reason.
  case stale(CacheResult.Reason)
  /// Return it although it is stale, and revalidate it in the background.
  case revalidateMeanwhile
  /// Return it only if the server confirms it.
  case validate

  init(of stored: StoredResponse, for request: RequestDirectives, mode: CacheMode, now: Double) {
    let directives = stored.directives
    let age = stored.freshness.age(at: now)
    let staleness = age - stored.freshness.lifetime
    guard !directives.noCache, !request.noCache else {
      self = .validate
      return
    }
    // RFC 8246: while it is fresh, a newer response would be equal.
    let isTooOld = request.maxAge.map { age > $0 } ?? false
    let takesAnyAge = mode == .preferCached || mode == .onlyIfCached
    if staleness < 0 {
      let staysFresh = takesAnyAge || request.minFresh.map { -staleness >= $0 } ?? true
      self = staysFresh && (takesAnyAge || !isTooOld || directives.isImmutable) ? .fresh : .validate
      return
    }
    // Section 5.2.2.2: in all circumstances, even if the caller accepts stale responses.
    guard !directives.mustRevalidate else {
      self = .validate
      return
    }
    if takesAnyAge {
      self = .stale(.requested)
      return
    }
    guard !isTooOld, request.minFresh == nil else {
      self = .validate
      return
    }
    if let accepted = request.maxStale, staleness <= accepted {
      self = .stale(.maximumStale)
    } else if staleness <= directives.staleWhileRevalidate, directives.staleWhileRevalidate > 0 {
      self = .revalidateMeanwhile
    } else {
      self = .validate
    }
  }
}

extension StoredResponse {
  /// Whether the response may be used because the server is unreachable or returned an error (RFC 5861, section 4).
  func mayBeUsedAfterError(for request: RequestDirectives, now: Double) -> Bool {
    guard !directives.noCache, !directives.mustRevalidate, !request.noCache else { return false }
    let accepted = max(directives.staleIfError, request.staleIfError ?? 0)
    return accepted > 0 && freshness.age(at: now) - freshness.lifetime <= accepted
  }
}
