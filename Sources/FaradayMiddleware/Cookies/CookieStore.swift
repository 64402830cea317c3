internal import FaradayCore

/// The cookies of a jar, indexed by domain, so that a request searches only the cookies of its host and parent domains.
struct CookieStore {
  private struct Entry {
    var cookie: Cookie
    /// Sequence numbers, because dates can be equal and clocks can be set back.
    var createdOrder: Int
    var usedOrder: Int
  }

  /// The cookies of one domain.
  private struct Bucket {
    /// The registrable domain (eTLD+1).
    let site: String
    var entries: [Entry] = []
  }

  private let suffixes: PublicSuffixes
  private var domains: [String: Bucket] = [:]
  /// The number of cookies of each site, and their domains.
  private var sites: [String: (count: Int, domains: Set<String>)] = [:]
  private var count = 0
  var isEmpty: Bool { count == 0 }
  private var order = 0

  init(_ suffixes: PublicSuffixes) { self.suffixes = suffixes }

  func all(at now: Date) -> [Cookie] {
    domains.values.flatMap(\.entries).filter { !$0.cookie.isExpired(at: now) }.sorted { $0.createdOrder < $1.createdOrder }.map(
      \.cookie)
  }

  func cookies(for place: Cookie.Place, at now: Date) -> [Cookie] {
    places(of: place, at: now).compactMap { domains[$0.domain]?.entries[$0.index].cookie }
  }

  /// Appends the cookies for the URL to the field, up to the first cookie that does not fit. Returns false if it appends no
  /// cookie.
  mutating func fill(_ field: inout CookieField, for place: Cookie.Place, limits: CookieJar.Limits, at now: Date) -> Bool {
    var hasAppended = false
    for (domain, index) in places(of: place, at: now) {
      guard let cookie = domains[domain]?.entries[index].cookie, !field.replaces(cookie) else { continue }
      guard field.append(cookie, within: limits) else { break }
      hasAppended = true
      order += 1
      domains[domain]?.entries[index].usedOrder = order
      domains[domain]?.entries[index].cookie.lastUsed = now
    }
    return hasAppended
  }

  /// Returns the positions of the cookies for the URL, in the order in which they are sent.
  private func places(of place: Cookie.Place, at now: Date) -> [(domain: String, index: Int)] {
    var found: [(domain: String, index: Int, pathLength: Int, order: Int)] = []
    for domain in CookieHost.domains(of: place.host) {
      guard let entries = domains[domain]?.entries else { continue }
      // By index: a copy of an entry costs more than reading it in place.
      for index in entries.indices {
        guard !entries[index].cookie.isHostOnly || domain == place.host, place.isSecure || !entries[index].cookie.isSecure,
          !entries[index].cookie.isExpired(at: now), Cookie.path(place.path, liesIn: entries[index].cookie.path)
        else { continue }
        found.append((domain, index, entries[index].cookie.path.utf8.count, entries[index].createdOrder))
      }
    }
    found.sort { $0.pathLength == $1.pathLength ? $0.order < $1.order : $0.pathLength > $1.pathLength }
    return found.map { ($0.domain, $0.index) }
  }

  /// Whether this cookie, not set over https, would overlay a `Secure` cookie (RFC 6265bis, section 5.7).
  func hasSecure(overlaidBy cookie: Cookie, at now: Date) -> Bool {
    let isOverlaid = { (entry: Entry) in
      entry.cookie.isSecure && entry.cookie.nameBytes == cookie.nameBytes && !entry.cookie.isExpired(at: now)
        && Cookie.path(cookie.path, liesIn: entry.cookie.path)
    }
    // Parent domains first, then subdomains.
    return CookieHost.domains(of: cookie.domain).contains { domains[$0]?.entries.contains(where: isOverlaid) == true }
      || domains.contains { CookieHost.matches($0.key, domain: cookie.domain) && $0.value.entries.contains(where: isOverlaid) }
  }

  /// Inserts a cookie, or replaces the cookie of the same name, domain and path and keeps its creation date.
  mutating func insert(_ cookie: Cookie, createdOrder: Int? = nil, limits: CookieJar.Limits, at now: Date) {
    order += 1
    var entry = Entry(cookie: cookie, createdOrder: createdOrder ?? order, usedOrder: order)
    if let old = domains[cookie.domain]?.entries.first(where: { $0.cookie.isSame(as: cookie) }) {
      entry.createdOrder = old.createdOrder
      entry.cookie.created = old.cookie.created
      remove([cookie])
    }
    guard !cookie.isExpired(at: now) else { return }
    change(cookie.domain) { $0.append(entry) }
    makeRoom(for: cookie.domain, limits: limits, at: now)
  }

  /// Stores cookies in the order of their creation, and keeps the order of their last use.
  mutating func insert(_ cookies: [Cookie], limits: CookieJar.Limits, at now: Date) {
    let first = order + 1
    order += cookies.count
    let byUse = cookies.indices.sorted { (cookies[$0].lastUsed, $0) < (cookies[$1].lastUsed, $1) }
    for index in byUse { insert(cookies[index], createdOrder: first + index, limits: limits, at: now) }
  }

  mutating func remove(_ cookies: [Cookie]) {
    for cookie in cookies { removeAll(in: cookie.domain) { $0.isSame(as: cookie) } }
  }

  mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
    for domain in domains.keys { removeAll(in: domain, where: isUnwanted) }
  }

  private mutating func removeAll(in domain: String, where isUnwanted: (Cookie) -> Bool) {
    guard domains[domain] != nil else { return }
    change(domain) { $0.removeAll { isUnwanted($0.cookie) } }
  }

  /// The only function that adds and removes cookies: it maintains the counts.
  private mutating func change(_ domain: String, _ change: (inout [Entry]) -> Void) {
    var bucket = domains.removeValue(forKey: domain) ?? Bucket(site: site(of: domain))
    var site = sites.removeValue(forKey: bucket.site) ?? (0, [])
    let before = bucket.entries.count
    change(&bucket.entries)
    count += bucket.entries.count - before
    site.count += bucket.entries.count - before
    if bucket.entries.isEmpty {
      site.domains.remove(domain)
    } else {
      site.domains.insert(domain)
      domains[domain] = bucket
    }
    if site.count > 0 { sites[bucket.site] = site }
  }

  /// The registrable domain; an IP address, a public suffix and a name without a dot are separate sites. A trailing dot is
  /// ignored.
  private func site(of domain: String) -> String {
    let name = domain.withoutTrailingDot
    return suffixes.registrableDomain(of: name) ?? name
  }

  private mutating func makeRoom(for domain: String, limits: CookieJar.Limits, at now: Date) {
    guard let site = domains[domain]?.site else { return }
    if (sites[site]?.count ?? 0) > limits.perDomain {
      for domain in sites[site]?.domains ?? [] { removeAll(in: domain) { $0.isExpired(at: now) } }
    }
    while let (count, names) = sites[site], count > limits.perDomain {
      let hasOpen = names.contains { domains[$0]?.entries.contains { !$0.cookie.isSecure } == true }
      guard removeLeastUsed(of: names, sparingSecure: hasOpen) else { break }
    }
    guard count > limits.total else { return }
    if domains.values.contains(where: { $0.entries.contains { $0.cookie.isExpired(at: now) } }) {
      removeAll { $0.isExpired(at: now) }
    }
    while count > limits.total, removeLeastUsed(of: domains.keys, sparingSecure: false) {}
  }

  /// Removes the least recently used cookie. Returns false if there is no cookie to remove.
  private mutating func removeLeastUsed(of names: some Sequence<String>, sparingSecure: Bool) -> Bool {
    var least: (domain: String, index: Int, order: Int)?
    for name in names {
      guard let entries = domains[name]?.entries else { continue }
      for index in entries.indices where !sparingSecure || !entries[index].cookie.isSecure {
        guard entries[index].usedOrder < least?.order ?? .max else { continue }
        least = (name, index, entries[index].usedOrder)
      }
    }
    guard let least else { return false }
    change(least.domain) { _ = $0.remove(at: least.index) }
    return true
  }
}

extension Cookie {
  fileprivate func isSame(as other: Cookie) -> Bool {
    // By bytes: two strings with equal characters are equal even if their bytes differ.
    nameBytes == other.nameBytes && domain == other.domain && isHostOnly == other.isHostOnly
      && path.utf8.elementsEqual(other.path.utf8)
  }
}
