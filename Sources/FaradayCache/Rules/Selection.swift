internal import FaradayCore

/// Whether and how a stored response may answer a request (RFC 9111, section 4).
enum Selection {
  /// Without a word to the server.
  case fresh
  /// Although it is stale, for that reason.
  case stale(CacheResult.Reason)
  /// Although it is stale; it must be revalidated in the background.
  case revalidateMeanwhile
  /// Only if the server confirms it.
  case validate

  init(of stored: StoredResponse, for request: RequestDirectives, mode: CacheMode, now: Double) {
    let directives = stored.directives
    let age = stored.freshness.age(at: now)
    let staleness = age - stored.freshness.lifetime
    guard !directives.noCache, !request.noCache else {
      self = .validate
      return
    }
    // RFC 8246: while it is fresh, a newer one would be the same.
    let isTooOld = request.maxAge.map { age > $0 } ?? false
    let takesAnyAge = mode == .preferCached || mode == .onlyIfCached
    if staleness < 0 {
      let staysFresh = takesAnyAge || request.minFresh.map { -staleness >= $0 } ?? true
      self = staysFresh && (takesAnyAge || !isTooOld || directives.isImmutable) ? .fresh : .validate
      return
    }
    // Section 5.2.2.2: in all circumstances, also where the caller would take it.
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
      self = .stale(.maxStale)
    } else if staleness <= directives.staleWhileRevalidate, directives.staleWhileRevalidate > 0 {
      self = .revalidateMeanwhile
    } else {
      self = .validate
    }
  }
}

extension StoredResponse {
  /// Whether it may be used because the server could not be asked, or had an error (RFC 5861, section 4).
  func mayBeUsedAfterError(for request: RequestDirectives, now: Double) -> Bool {
    guard !directives.noCache, !directives.mustRevalidate, !request.noCache else { return false }
    let accepted = max(directives.staleIfError, request.staleIfError ?? 0)
    return accepted > 0 && freshness.age(at: now) - freshness.lifetime <= accepted
  }
}
