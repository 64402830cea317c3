public import FaradayCore
private import Synchronization

/// Stores cookies in memory, and selects those for a request by domain, path and expiry (RFC 6265bis, sections 5.7 and 5.8).
///
///     let jar = CookieJar()
///     connection.use(.cookies(jar))
///     try jar.write(to: "cookies.txt", as: .netscape)
///
/// Thread-safe. It is a user agent without pages: `SameSite` and `HttpOnly` are stored and restrict nothing.
public final class CookieJar: Sendable {
  /// The maximum numbers of cookies that are stored, and that are sent with a request. A negative limit is 0.
  ///
  /// Over a limit of stored cookies, expired cookies are removed first, then, of a site with too many, those without `Secure`, then
  /// any; each time the least recently used first. Over a limit of a request, the cookies with the longest paths are sent, and of
  /// equal paths the oldest; those that follow the first one without room stay in the jar.
  public struct Limits: Sendable, Hashable {
    /// The maximum for one registrable domain (eTLD+1), all its subdomains together, so that no site can evict the others'
    /// cookies by using many names. 180 by default, as in Chrome.
    public var perDomain = 180
    /// The maximum in all. 3000 by default, the minimum that RFC 6265bis asks of user agents.
    public var total = 3000
    /// The maximum in one request. 150 by default, as in curl.
    public var perRequest = 150
    /// The maximum length of the `Cookie` field of one request in bytes, its name included. 8190 by default, as in curl: the longest
    /// field that the usual configuration of Apache accepts. Cookies that the caller has set count too, and are always sent.
    public var bytesPerRequest = 8190

    /// Limits of 180 cookies per registrable domain and 3000 in all, and of 150 cookies and 8190 bytes per request, unless given.
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
  ///   - publicSuffixes: the domains for which no cookie may be set. The built-in list by default.
  ///   - limits: how many cookies are kept, and sent with one request.
  ///   - trustsLoopback: whether `http://localhost` and loopback addresses may set and get `Secure` cookies, as in Chrome and
  ///     Firefox. False by default: other programs of this machine may listen there.
  ///   - now: the clock that expiry is measured by.
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

  /// The cookies for a URL, in the order of the `Cookie` header: the longest path first, then the oldest. The limits per request do
  /// not apply.
  public func cookies(for url: URL) -> [Cookie] {
    guard let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { return [] }
    let now = now()
    return store.withLock { $0.cookies(for: place, at: now) }
  }

  /// The value of the `Cookie` header for a URL; nil if there is no cookie for it. Updates ``Cookie/lastUsed``. Bytes that are not
  /// UTF-8 are replaced with U+FFFD: ``headerBytes(for:)`` has them.
  public func header(for url: URL) -> String? { headerBytes(for: url).map { String(decoding: $0, as: UTF8.self) } }

  /// The value of the `Cookie` header for a URL, as it is sent; nil if there is no cookie for it. Updates ``Cookie/lastUsed``.
  public func headerBytes(for url: URL) -> [UInt8]? {
    var field = CookieField()
    return fill(&field, for: url) ? field.value : nil
  }

  /// Stores the cookie of one `Set-Cookie` field of a response from the URL. One that has expired removes the stored cookie of
  /// its name, domain and path.
  public func receive(_ setCookie: String, from url: URL) throws(CookieRejected) {
    try receive(Array(setCookie.utf8), from: url)
  }

  /// Stores the cookie of one `Set-Cookie` field, whose bytes may be in any encoding.
  public func receive(_ setCookie: [UInt8], from url: URL) throws(CookieRejected) {
    guard let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else {
      throw CookieRejected([], "the URL that set it has no host")
    }
    let now = now()
    let cookie = try Cookie(parsing: setCookie, from: place, suffixes: suffixes, now: now)
    let isOverlaid = store.withLock { store in
      if !place.isSecure, store.hasSecure(overlaidBy: cookie, at: now) { return true }
      store.insert(cookie, limits: limits, at: now)
      return false
    }
    if isOverlaid { throw CookieRejected(cookie.nameBytes, "it would shadow a Secure cookie, and was not set over https") }
  }

  /// Stores a cookie, checked as if a server had set it; it replaces one of the same name, domain and path. Its expiry is at
  /// most 400 days from now.
  public func insert(_ cookie: Cookie) throws(CookieRejected) {
    try cookie.check(suffixes)
    let now = now()
    store.withLock { $0.insert(cookie.capped(at: now), limits: limits, at: now) }
  }

  /// Removes the cookie of the same name, domain and path, whatever its value.
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

  /// Removes session cookies: those without an expiry.
  public func endSession() { store.withLock { $0.removeAll { $0.expires == nil } } }

  /// Appends the cookies for the URL to a `Cookie` field, within the limits, and updates their ``Cookie/lastUsed``. False if it
  /// appends none.
  func fill(_ field: inout CookieField, for url: URL) -> Bool {
    guard !store.withLock({ $0.isEmpty }), let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { return false }
    let now = now()
    return store.withLock { $0.fill(&field, for: place, limits: limits, at: now) }
  }

  /// Stores the cookies of a file, all at once; nil stands for one that could not be parsed.
  func insert(read cookies: [Cookie?]) -> CookieFile.ReadResult {
    var reading = CookieFile.ReadResult()
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
    cookie.expires = expires.map { min($0, now.addingTimeInterval(Self.maximumAge)) }
    return cookie
  }
}
