public import FaradayCore
private import Synchronization

/// Stores cookies in memory, and selects the cookies for a request by domain, path and expiry (RFC 6265bis, sections 5.7 and
/// 5.8).
///
///     let jar = CookieJar()
///     connection.use(.cookies(jar))
///     try jar.write(to: "cookies.txt", as: .netscape)
///
/// Thread-safe. `SameSite` and `HttpOnly` are stored without effect, because this user agent has no pages.
public final class CookieJar: Sendable {
  /// The maximum numbers of stored cookies, and of cookies that are sent with a request. A negative limit is 0.
  ///
  /// If too many cookies are stored, expired cookies are removed first; then, for a site with too many, cookies without
  /// `Secure`; then any cookies. In each step the least recently used go first. If too many cookies match a request, the
  /// cookies with the longest paths are sent, and of equal paths the oldest. The first cookie that does not fit and all cookies
  /// after it stay in the jar.
  public struct Limits: Sendable, Hashable {
    /// The maximum for one registrable domain (eTLD+1) with all its subdomains, so that no site can evict the cookies of others
    /// by using many names. 180 by default, as in Chrome.
    public var perDomain = 180
    /// The maximum in total. 3000 by default, the minimum that RFC 6265bis requires of user agents.
    public var total = 3000
    /// The maximum in one request. 150 by default, as in curl.
    public var perRequest = 150
    /// The maximum length of the `Cookie` field of one request in bytes, its name included. 8190 by default, as in curl: the longest
    /// field that the usual configuration of Apache accepts. Cookies that the caller has set count too, and are always sent.
    public var bytesPerRequest = 8190

    /// Creates limits. By default 180 cookies per registrable domain and 3000 in total, and 150 cookies and 8190 bytes per
    /// request.
    public init(perDomain: Int = 180, total: Int = 3000, perRequest: Int = 150, bytesPerRequest: Int = 8190) {
      self.perDomain = perDomain
      self.total = total
      self.perRequest = perRequest
      self.bytesPerRequest = bytesPerRequest
    }
  }

  private let suffixes: PublicSuffixes
  private let limits: Limits
  private let trustsLoopback: Bool
  let now: @Sendable () -> Date
  private let store: Mutex<CookieStore>

  /// - Parameters:
  ///   - publicSuffixes: the domains for which no cookie can be set. The built-in list by default.
  ///   - limits: the maximum numbers of stored and sent cookies.
  ///   - trustsLoopback: whether `http://localhost` and loopback addresses can set and receive `Secure` cookies, as in Chrome
  ///     and Firefox. False by default: other programs on this machine may listen there.
  ///   - now: the clock for expiry.
  public init(
    publicSuffixes: PublicSuffixes = .builtIn, limits: Limits = Limits(), trustsLoopback: Bool = false,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    suffixes = publicSuffixes
    self.limits = limits
    store = Mutex(CookieStore(publicSuffixes))
    self.trustsLoopback = trustsLoopback
    self.now = now
  }

  /// All cookies that have not expired, the oldest first.
  public var cookies: [Cookie] {
    let now = now()
    return store.withLock { $0.all(at: now) }
  }

  /// Returns the cookies for a URL, in the order of the `Cookie` header: the longest path first, then the oldest. The limits
  /// per request do
  /// not apply.
  public func cookies(for url: URL) -> [Cookie] {
    guard let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { return [] }
    let now = now()
    return store.withLock { $0.cookies(for: place, at: now) }
  }

  /// Returns the value of the `Cookie` header for a URL; nil if there is no cookie for it. Updates ``Cookie/lastUsed``. Bytes
  /// that are not UTF-8 are replaced with U+FFFD: ``headerBytes(for:)`` has them.
  public func header(for url: URL) -> String? { headerBytes(for: url).map { String(decoding: $0, as: UTF8.self) } }

  /// Returns the value of the `Cookie` header for a URL in bytes; nil if there is no cookie for it. Updates
  /// ``Cookie/lastUsed``.
  public func headerBytes(for url: URL) -> [UInt8]? {
    var field = CookieField()
    return fill(&field, for: url) ? field.value : nil
  }

  /// Stores the cookie of one `Set-Cookie` field of a response from the URL. An expired cookie removes the stored cookie with
  /// its name, domain and path.
  public func receive(_ setCookie: String, from url: URL) throws(CookieError) {
    try receive(Array(setCookie.utf8), from: url)
  }

  /// Stores the cookie of one `Set-Cookie` field, whose bytes may be in any encoding.
  public func receive(_ setCookie: [UInt8], from url: URL) throws(CookieError) {
    guard let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else {
      throw CookieError([], "the URL that set it has no host")
    }
    let now = now()
    let cookie = try Cookie(parsing: setCookie, from: place, suffixes: suffixes, now: now)
    let isOverlaid = store.withLock { store in
      if !place.isSecure, store.hasSecure(overlaidBy: cookie, at: now) { return true }
      store.insert(cookie, limits: limits, at: now)
      return false
    }
    if isOverlaid { throw CookieError(cookie.nameBytes, "it would shadow a Secure cookie, and was not set over https") }
  }

  /// Stores a cookie, checked as if a server had set it. It replaces the cookie of the same name, domain,
  /// ``Cookie/isHostOnly`` and path. Its expiry is at most 400 days from now.
  public func insert(_ cookie: Cookie) throws(CookieError) {
    try cookie.check(suffixes)
    let now = now()
    store.withLock { $0.insert(cookie.capped(at: now), limits: limits, at: now) }
  }

  /// Removes the cookie of the same name, domain, ``Cookie/isHostOnly`` and path, with any value.
  public func remove(_ cookie: Cookie) { store.withLock { $0.remove([cookie]) } }

  /// Removes the cookies for which the closure returns true. No lock is held while it is called.
  public func remove(where isUnwanted: (Cookie) throws -> Bool) rethrows {
    let unwanted = try cookies.filter(isUnwanted)
    store.withLock { $0.remove(unwanted) }
  }

  /// Removes all cookies.
  public func removeAll() { store.withLock { $0.removeAll { _ in true } } }

  /// Removes expired cookies. They are never sent and never listed, so this only frees memory.
  public func removeExpired() {
    let now = now()
    store.withLock { $0.removeAll { $0.isExpired(at: now) } }
  }

  /// Removes session cookies: cookies without an expiry.
  public func endSession() { store.withLock { $0.removeAll { $0.expires == nil } } }

  /// Appends the cookies for the URL to a `Cookie` field, within the limits, and updates their ``Cookie/lastUsed``. Returns
  /// false if it appends no cookie.
  func fill(_ field: inout CookieField, for url: URL) -> Bool {
    guard !store.withLock({ $0.isEmpty }), let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { return false }
    let now = now()
    return store.withLock { $0.fill(&field, for: place, limits: limits, at: now) }
  }

  /// Stores the cookies of a file, all at once; nil represents a cookie that could not be parsed.
  func insert(read cookies: [Cookie?]) -> StoreReadResult {
    var reading = StoreReadResult()
    var kept: [Cookie] = []
    let now = now()
    for (index, cookie) in cookies.enumerated() {
      guard let cookie, (try? cookie.check(suffixes)) != nil else {
        reading.rejected.append(index)
        continue
      }
      if cookie.isExpired(at: now) { reading.expiredCount += 1 } else { kept.append(cookie.capped(at: now)) }
    }
    reading.addedCount = kept.count
    store.withLock { [kept] in $0.insert(kept, limits: limits, at: now) }
    return reading
  }
}

extension CookieJar: CustomStringConvertible {
  public var description: String { "CookieJar(\(cookies.count) cookies)" }
}

extension Cookie {
  fileprivate func capped(at now: Date) -> Cookie {
    var cookie = self
    // In this order a date that is not a number becomes the limit.
    cookie.expires = expires.map { min(now.addingTimeInterval(Self.maximumAge), $0) }
    return cookie
  }
}
