internal import FaradayCore

/// A request as the cache sees it.
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

/// What the store has for a request.
struct Found: Sendable {
  /// How many invalidations there had been before the store was read.
  let moment: Int
  /// Which was the last invalidation that others may have made in the store, before the request was sent.
  var epoch: String?
  let index: VariantIndex?
  var response: StoredResponse?
  var key: CacheKey?
}

extension HTTPCache {
  /// The stored response that the request selects: of several one with a `Vary`, and of those the newest (RFC 9111, section 4.1).
  func find(_ lookup: Lookup) async -> Found {
    let moment = invalidations.count
    var found = Found(moment: moment, index: (try? await store.record(for: lookup.identity.indexKey))?.index)
    guard let index = found.index else { return found }
    let now = now().timeIntervalSince1970
    /// A time that is still to come, of a clock that was set back or of another machine's, says nothing.
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

  /// The last invalidation of the URL in the store, or of others that share its slot: those of other caches over it count as well.
  func epoch(of url: String) async -> String? {
    (try? await store.record(for: Identity.epochKey(ofNormalized: url)))?.index?.generation
  }

  /// Stores a response, or the one that was found, updated. Returns why it was not.
  func write(
    _ response: StoredResponse, _ vary: Vary, _ lookup: Lookup, _ found: Found, updating old: StoredResponse? = nil
  ) async -> CacheResult.Reason? {
    let identity = lookup.identity
    do {
      let known = try await store.record(for: identity.indexKey)?.index
      // Without an index then, whoever has made one since has stored a response too, which is as good.
      guard found.index == nil || known?.generation == found.index?.generation else { return .superseded }
      var index = known ?? VariantIndex()
      let isNew = index.insert(vary) || known == nil
      let key = identity.responseKey(index.generation, vary, lookup.request.headers)
      if let other = try await store.record(for: key)?.response {
        // An older one may be read to its end after a newer one was stored.
        let isNewer = other.responseTime > response.responseTime && other.responseTime <= now().timeIntervalSince1970
        // What was confirmed may have given way to another meanwhile (section 4.3.4).
        guard !isNewer, old.map(other.hasValidators(of:)) != false else { return .superseded }
      }
      try await store.store(CacheRecord(response), for: key)
      // It was selected before, and would be again.
      if let selected = found.key, selected != key { try await store.remove(selected) }
      if isNew { try await store.store(CacheRecord(index), for: identity.indexKey) }
      // Looked at last: an invalidation that comes later finds the index and removes it.
      let epoch = await epoch(of: identity.url)
      guard epoch == found.epoch, !invalidations.contains(identity.url, since: found.moment) else {
        let isRemoved = (try? await store.remove(key)) != nil
        // It may have been removed, and stored here again with what it lists.
        if isNew || !isRemoved { try await store.remove(identity.indexKey) }
        return .superseded
      }
      return nil
    } catch {
      return .storeFailed
    }
  }

  /// Removes a response that was found.
  func forget(_ found: Found) async {
    if let key = found.key { try? await store.remove(key) }
  }
}

extension StoredResponse {
  /// The response to a request, with its age. Fields that need a validation are left out (RFC 9111, section 5.2.2.4).
  func response(to request: Request, at now: Double, _ result: CacheResult) -> Response {
    var headers = headers
    if !directives.noCacheFields.isEmpty {
      for name in directives.noCacheFields.compactMap({ HTTPField.Name($0) }) { headers[fields: name] = [] }
    }
    let age = freshness.age(at: now)
    // Section 1.2.2: the greatest that there is to send; also for a clock that is not a number.
    headers[.age] = (0..<2_147_483_648).contains(age) ? String(Int(age)) : "2147483648"
    var response = Response(
      status: status, headers: headers, body: request.method == .head ? .empty : .data(body), url: request.url, version: version)
    response.cacheResult = result
    return response
  }
}
