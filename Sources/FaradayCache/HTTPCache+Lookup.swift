internal import FaradayCore

/// A request with the values that the cache needs.
struct Lookup: Sendable {
  let request: Request
  let identity: Identity
  let directives: RequestDirectives
  let mode: CacheMode

  init(_ request: Request) {
    self.request = request
    identity = Identity(request)
    directives = RequestDirectives(request.headers)
    mode = request.options.cache
  }

  var isOnlyIfCached: Bool { mode.isOnlyIfCached(directives) }
}

/// The stored records for a request.
struct Found: Sendable {
  /// The number of invalidations before the store was read.
  let moment: Int
  /// The last invalidation in the store, possibly by another process, before the request was sent.
  var epoch: String?
  let index: VariantIndex?
  var response: StoredResponse?
  var key: CacheKey?
}

extension HTTPCache {
  /// Finds the stored response that the request selects. Of several, responses with a `Vary` are preferred, and then the newest
  /// (RFC 9111, section 4.1).
  func find(_ lookup: Lookup) async -> Found {
    let moment = invalidations.count
    var found = Found(moment: moment, index: (try? await store.record(for: lookup.identity.indexKey))?.index)
    guard let index = found.index else { return found }
    let now = now().timeIntervalSince1970
    /// A time in the future comes from a clock that was set back, or from another machine. It is ignored.
    func rank(_ vary: Vary, _ response: StoredResponse) -> (Int, Double) {
      (vary.names.isEmpty ? 0 : 1, response.responseTime <= now ? response.responseTime : -.infinity)
    }
    var best: (Int, Double)?
    for vary in index.varies {
      let key = lookup.identity.responseKey(index.generation, vary, lookup.request.headers)
      guard let response = (try? await store.record(for: key))?.response else { continue }
      let rank = rank(vary, response)
      if let best, best >= rank { continue }
      best = rank
      found.response = response.judged(by: policy)
      found.key = key
    }
    return found
  }

  /// Returns the last invalidation of the URL in the store, or of a URL in the same slot. Invalidations by other caches of the
  /// store count too.
  func epoch(of url: String) async -> String? {
    (try? await store.record(for: Identity.epochKey(ofNormalized: url)))?.index?.generation
  }

  /// Stores a new response, or an updated stored response. Returns the reason if it is not stored.
  func write(
    _ response: StoredResponse, _ vary: Vary, _ lookup: Lookup, _ found: Found, updating old: StoredResponse? = nil
  ) async -> CacheResult.Reason? {
    let identity = lookup.identity
    do {
      let known = try await store.record(for: identity.indexKey)?.index
      // If there was no index before, another request has created it and stored an equivalent response.
      guard found.index == nil || known?.generation == found.index?.generation else { return .superseded }
      var index = known ?? VariantIndex()
      let isNew = index.insert(vary) || known == nil
      let key = identity.responseKey(index.generation, vary, lookup.request.headers)
      if let other = try await store.record(for: key)?.response {
        // An older response may be read to its end after a newer one was stored.
        let isNewer = other.responseTime > response.responseTime && other.responseTime <= now().timeIntervalSince1970
        // Another response may have replaced the confirmed one in the meantime (section 4.3.4).
        guard !isNewer, old.map(other.hasValidators(of:)) != false else { return .superseded }
      }
      try await store.store(CacheRecord(response), for: key)
      // The request selected the old record, and would select it again.
      if let selected = found.key, selected != key { try await store.remove(selected) }
      if isNew { try await store.store(CacheRecord(index), for: identity.indexKey) }
      // Checked last: a later invalidation finds the index and removes it.
      let epoch = await epoch(of: identity.url)
      guard epoch == found.epoch, !invalidations.contains(identity.url, since: found.moment) else {
        let isRemoved = (try? await store.remove(key)) != nil
        // The index may have been removed, and stored here again with its old entries.
        if isNew || !isRemoved { try await store.remove(identity.indexKey) }
        return .superseded
      }
      return nil
    } catch {
      return .storeFailed
    }
  }

  /// Removes the stored response.
  func forget(_ found: Found) async {
    if let key = found.key { try? await store.remove(key) }
  }
}

extension StoredResponse {
  /// Returns the response to a request, with its age. Fields that need a validation are left out (RFC 9111, section 5.2.2.4).
  func response(to request: Request, at now: Double, _ result: CacheResult) -> Response {
    var headers = headers
    if !directives.noCacheFields.isEmpty {
      for name in directives.noCacheFields.compactMap({ HTTPField.Name($0) }) { headers[fields: name] = [] }
    }
    let age = freshness.age(at: now)
    // Section 1.2.2 defines the maximum value. It is also used for a clock that returns NaN.
    headers[.age] = (0..<2_147_483_648).contains(age) ? String(Int(age)) : "2147483648"
    var response = Response(
      status: status, headers: headers, body: request.method == .head ? .empty : .data(body), url: request.url, version: version)
    response.cacheResult = result
    return response
  }
}
