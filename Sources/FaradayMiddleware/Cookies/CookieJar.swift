public import FaradayCore
private import Synchronization

/// Keeps cookies, and knows which go where (RFC 6265bis, sections 5.7 and 5.8).
///
///     let jar = CookieJar()
///     connection.use(.cookies(jar))
///     try jar.write(to: "cookies.txt", as: .netscape)
///
/// It stands for a user agent without pages: `SameSite` and `HttpOnly` are kept and restrict nothing. For any thread.
public final class CookieJar: Sendable {
  /// How many cookies it keeps. Over it go those that have expired, then of a site with too many those that are not for
  /// `https` only, then any; each time those first that were not used for longest. Less than none is none.
  public struct Limits: Sendable, Hashable {
    /// Of one registrable domain, that is, of all names below it together, so that no site can push the others' cookies out by
    /// using many names: what browsers keep of a domain.
    public var perDomain = 180
    /// In all: what RFC 6265bis has user agents keep at least.
    public var total = 3000

    public init(perDomain: Int = 180, total: Int = 3000) {
      self.perDomain = perDomain
      self.total = total
    }
  }

  private let suffixes: PublicSuffixes
  private let limits: Limits
  private let trustsLoopback: Bool
  let now: @Sendable () -> Date
  private let store: Mutex<CookieStore>

  /// - Parameters:
  ///   - trustsLoopback: whether `http://localhost` and loopback addresses may set and get cookies that are for `https` only,
  ///     as in Chrome and Firefox. Other programs of this machine may listen there, so they may not by default.
  ///   - now: the clock that decides what has expired.
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

  /// What it holds and has not expired, the oldest first.
  public var cookies: [Cookie] {
    let now = now()
    return store.withLock { $0.all(at: now) }
  }

  /// What goes to the URL, in the order of its `Cookie` field: the longest path first, then the oldest.
  public func cookies(for url: URL) -> [Cookie] {
    guard let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { return [] }
    let now = now()
    return store.withLock { $0.cookies(for: place, at: now) }
  }

  /// The value of a request's `Cookie` field; nil if none goes there. The cookies count as used.
  public func header(for url: URL) -> String? {
    let cookies = use(for: url)
    return cookies.isEmpty ? nil : cookies.map(\.pair).joined(separator: "; ")
  }

  /// Takes one `Set-Cookie` field of a response from the URL. One that has expired removes the cookie it names.
  public func receive(_ setCookie: String, from url: URL) throws(CookieRefused) {
    guard let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { throw CookieRefused("", "it came from no host") }
    let now = now()
    let cookie = try Cookie(parsing: setCookie, from: place, suffixes: suffixes, now: now)
    let isOverlaid = store.withLock { store in
      if !place.isSecure, store.hasSecure(overlaidBy: cookie, at: now) { return true }
      store.insert(cookie, limits: limits, at: now)
      return false
    }
    if isOverlaid { throw CookieRefused(cookie.name, "it would stand before one that is for https, and did not come over it") }
  }

  /// Puts a cookie in by hand, under the same rules, in the place of one of its name, domain and path. It expires in 400 days
  /// at the latest.
  public func insert(_ cookie: Cookie) throws(CookieRefused) {
    try cookie.check(suffixes)
    let now = now()
    store.withLock { $0.insert(cookie.capped(at: now), limits: limits, at: now) }
  }

  /// Removes the cookie of that name, domain and path, whatever its value.
  public func remove(_ cookie: Cookie) { store.withLock { $0.remove([cookie]) } }

  /// Removes those that the closure says. It is called while nothing is locked.
  public func remove(where isUnwanted: (Cookie) throws -> Bool) rethrows {
    let unwanted = try cookies.filter(isUnwanted)
    store.withLock { $0.remove(unwanted) }
  }

  public func removeAll() { store.withLock { $0.removeAll { _ in true } } }

  /// Removes what has expired. That is never sent and never listed, so this only makes room.
  public func removeExpired() {
    let now = now()
    store.withLock { $0.removeAll { $0.isExpired(at: now) } }
  }

  /// Removes those that have no date to expire.
  public func endSession() { store.withLock { $0.removeAll { $0.expires == nil } } }

  /// As ``cookies(for:)``; they count as used.
  func use(for url: URL) -> [Cookie] {
    guard !store.withLock({ $0.isEmpty }), let place = Cookie.Place(url, trustsLoopback: trustsLoopback) else { return [] }
    let now = now()
    return store.withLock { $0.use(for: place, at: now) }
  }

  /// Puts in what a file holds, all at once; nil stands for what could not be read.
  func insert(read cookies: [Cookie?]) -> CookieFile.Reading {
    var reading = CookieFile.Reading()
    var kept: [Cookie] = []
    let now = now()
    for (index, cookie) in cookies.enumerated() {
      guard let cookie, (try? cookie.check(suffixes)) != nil else {
        reading.refused.append(index)
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
