internal import FaradayCore

extension HTTPCache {
  /// Sends the request, conditionally if there is a validator, and stores the response.
  func send(_ lookup: Lookup, _ found: Found, _ next: Next) async throws -> Response {
    let request = lookup.request
    var found = found
    found.epoch = await epoch(of: lookup.identity.url)
    let sent = SentRequest()
    let requestTime = now().timeIntervalSince1970
    let preconditions = request.method == .get ? found.response?.preconditions ?? [] : []
    var response: Response
    do {
      response = try await next(lookup.sentRequest(with: preconditions).recorded(in: sent))
    } catch {
      guard error.isFailureOfNetwork, let stale = staleAfterError(lookup, found, .unreachable) else { throw error }
      return stale
    }
    if response.status.isServerError, let stale = staleAfterError(lookup, found, .serverError) {
      await response.body.discard()
      return stale
    }
    let responseTime = now().timeIntervalSince1970
    if response.status == .notModified {
      // Nothing was sent if the response is shared with an equal request of another caller.
      let last = sent.last ?? lookup.sentRequest(with: preconditions)
      // A middleware below has added a precondition: the 304 is for that middleware.
      guard let stored = found.response, !preconditions.isEmpty, last.has(preconditions) else {
        response.cacheResult = CacheResult(.miss, .notStored(.status))
        return response
      }
      // A 304 has no body. Releasing the body's reader would close its connection.
      await response.body.discard()
      if !sent.isAmbiguous, stored.isConfirmed(by: response.headers), isUnchanged(lookup, last, Vary(stored.headers)),
        isUnchanged(lookup, last, Vary(response.headers)), stored.isSelected(asStatedBy: response.headers),
        let updated = stored.updated(by: response.headers, requestTime: requestTime, responseTime: responseTime)
      {
        return await confirmed(stored, updated, by: response, lookup, found, isOwn: sent.last != nil)
      }
      // The 304 refers to another response (section 4.3.4), or has too many fields: send the request without the validators.
      if sent.last != nil { await forget(found) }
      var unknown = found
      (unknown.response, unknown.key) = (nil, nil)
      return try await send(lookup, unknown, next)
    }
    let new = StoredResponse(response, requestTime: requestTime, responseTime: responseTime, policy: policy)
    if request.method == .head {
      if let last = sent.last, isUnchanged(lookup, last, Vary(response.headers)), response.url == request.url {
        await compare(found, with: new, lookup, to: response)
      }
      response.cacheResult = CacheResult(.miss, .notStored(.method))
      return response
    }
    // If nothing was sent here, the response came in another way: its request and credentials are unknown.
    guard let last = sent.last else {
      response.cacheResult = CacheResult(.miss, .notStored(.answeredBelow))
      return response
    }
    return await storing(response, new, lookup, found, last)
  }

  // MARK: validation

  /// Returns the stored response, updated by the 304 (RFC 9111, section 4.3.4).
  private func confirmed(
    _ stored: StoredResponse, _ updated: StoredResponse, by notModified: Response, _ lookup: Lookup, _ found: Found, isOwn: Bool
  ) async -> Response {
    let vary = Vary(updated.headers)
    var refusal = isOwn ? updated.refusal(for: lookup.directives, vary: vary) : .answeredBelow
    if refusal == nil, let vary {
      refusal = await write(updated, vary, lookup, found, updating: stored)
    } else if isOwn, !lookup.directives.noStore {
      await forget(found)
    }
    var response = notModified
    response.status = updated.status
    response.headers = updated.headers
    // This 304 has set these cookies, for its recipient only.
    response.headers[fields: .setCookie] = notModified.headers[fields: .setCookie]
    response.body = .data(updated.body)
    response.version = updated.version
    response.cacheResult = CacheResult(.revalidated, refusal.map { .notStored($0) } ?? .stored)
    return response
  }

  /// Updates or removes the stored response to a GET with the response to a HEAD (section 4.3.5).
  private func compare(_ found: Found, with new: StoredResponse, _ lookup: Lookup, to response: Response) async {
    guard let stored = found.response, response.status == .ok, stored.status == .ok, !lookup.directives.noStore else { return }
    switch stored.isDescribed(by: new.headers) {
    case nil: return
    case false?: await forget(found)
    case true?:
      let updated = stored.updated(by: new.headers, requestTime: new.requestTime, responseTime: new.responseTime)
      guard let updated, let vary = Vary(updated.headers), updated.refusal(for: lookup.directives, vary: vary) == nil else {
        return await forget(found)
      }
      _ = await write(updated, vary, lookup, found, updating: stored)
    }
  }

  private func staleAfterError(_ lookup: Lookup, _ found: Found, _ reason: CacheResult.Reason) -> Response? {
    let time = now().timeIntervalSince1970
    guard let stored = found.response, stored.mayBeUsedAfterError(for: lookup.directives, now: time) else { return nil }
    return stored.response(to: lookup.request, at: time, CacheResult(.stale(reason), .unchanged))
  }

  /// Revalidates in the background while the stale response is returned: without the caller's callbacks, with the whole body,
  /// and for a minute at most.
  func revalidateInBackground(_ lookup: Lookup, _ found: Found, _ next: Next) {
    guard let key = found.key else { return }
    var request = lookup.request
    request.method = .get
    request.options.delivery = .buffered
    (request.options.onChunk, request.options.onHead, request.options.onInformational) = (nil, nil, nil)
    (request.options.onUploadProgress, request.options.onDownloadProgress) = (nil, nil)
    if request.options.transport != nil { (request.options.onRawHead, request.options.onTrace) = (nil, nil) }
    request.options.timeouts.total = min(request.options.timeouts.total ?? .seconds(60), .seconds(60))
    let background = Lookup(request)
    revalidations.begin(key) {
      guard let response = try? await send(background, found, next) else { return }
      _ = try? await response.body.prefix(upTo: store.maximumEntrySize)
    }
  }

  // MARK: storing

  private func storing(
    _ response: Response, _ new: StoredResponse, _ lookup: Lookup, _ found: Found, _ sent: Request
  ) async -> Response {
    var response = response
    let limit = store.maximumEntrySize
    let vary = Vary(new.headers)
    var refusal = new.refusal(for: lookup.directives, vary: vary)
    if refusal == nil, RequestDirectives(sent.headers).noStore { refusal = .noStore }
    if refusal == nil, !isUnchanged(lookup, sent, vary) || response.url != lookup.request.url { refusal = .changedBelow }
    if refusal == nil, (response.body.length ?? 0) > Int64(limit) || new.headSize > limit { refusal = .tooLarge }
    guard refusal == nil, let vary else {
      // The stored response is outdated (section 4.3.3); after an error this is unknown.
      if response.status.code < 500, !lookup.directives.noStore { await forget(found) }
      response.cacheResult = CacheResult(.miss, .notStored(refusal ?? .vary))
      return response
    }
    let stored = sent.options.decompression != nil && lookup.request.options.decompression == nil ? new.decoded() : new
    if let data = response.body.data {
      let failure = await write(stored.with(body: data), vary, lookup, found)
      response.cacheResult = CacheResult(.miss, failure.map { .notStored($0) } ?? .stored)
      return response
    }
    response.body = response.body.recorded(upTo: limit) { whole in
      _ = await write(stored.with(body: whole), vary, lookup, found)
    }
    response.cacheResult = CacheResult(.miss, .onceRead)
    return response
  }

  /// Whether the sent request is equivalent to the cache's request: the user and the selecting fields are equal.
  private func isUnchanged(_ lookup: Lookup, _ sent: Request, _ vary: Vary?) -> Bool {
    let request = lookup.request
    guard let vary, sent.url == request.url, sent.method == request.method,
      vary.values(in: sent.headers) == vary.values(in: request.headers)
    else { return false }
    return Identity.credentials(of: sent) == Identity.credentials(of: request)
      && (sent.options.transport === request.options.transport
        || sent.options.transport?.identity ?? [] == request.options.transport?.identity ?? [])
  }
}

extension Lookup {
  fileprivate func sentRequest(with preconditions: [HTTPField]) -> Request {
    var request = request
    for field in preconditions { request.headers[fields: field.name] = [field] }
    if mode == .reload, !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = "no-cache" }
    return request
  }
}

extension Request {
  /// Whether the request has exactly these preconditions.
  fileprivate func has(_ preconditions: [HTTPField]) -> Bool {
    let names: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince]
    return names.flatMap { headers[fields: $0] } == preconditions
  }
}

extension StoredResponse {
  /// Returns the response for a body that a middleware below has decoded without being requested: without the fields of the
  /// encoded body.
  fileprivate func decoded() -> StoredResponse {
    guard headers.contains(.contentEncoding) else { return self }
    var fields = headers
    fields[fields: .contentEncoding] = []
    fields[fields: .contentLength] = []
    return with(headers: fields)
  }
}

extension HTTPResponse.Status {
  /// Whether it is an error for `stale-if-error` (RFC 5861, section 4).
  fileprivate var isServerError: Bool { [500, 502, 503, 504].contains(code) }
}

extension Error {
  /// Whether the server could not be reached, has not responded, or was not called because a limit below rejected the request;
  /// or whether it has returned an error for `stale-if-error`. A failed authentication of the server does not count.
  fileprivate var isFailureOfNetwork: Bool {
    if let error = self as? TransportError { return error.isTransient }
    return (self as? any FaradayError)?.response?.status.isServerError ?? countsAsTransient
  }
}
