#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The cookies of a jar, by their domain, so that a request looks only at those of its host and of what that lies in.
struct CookieStore {
  private struct Entry {
    var cookie: Cookie
    /// Dates can be the same, and clocks are set back: these are not.
    var createdOrder: Int
    var usedOrder: Int
  }

  private var domains: [String: [Entry]] = [:]
  private var count = 0
  var isEmpty: Bool { count == 0 }
  private var order = 0

  func all(at now: Date) -> [Cookie] {
    domains.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.createdOrder < $1.createdOrder }.map(\.cookie)
  }

  func cookies(for place: Cookie.Place, at now: Date) -> [Cookie] {
    places(of: place, at: now).compactMap { domains[$0.domain]?[$0.index].cookie }
  }

  mutating func use(for place: Cookie.Place, at now: Date) -> [Cookie] {
    places(of: place, at: now).compactMap { domain, index in
      order += 1
      domains[domain]?[index].usedOrder = order
      domains[domain]?[index].cookie.lastUsed = now
      return domains[domain]?[index].cookie
    }
  }

  /// Where the cookies for that place are, in the order they are sent in.
  private func places(of place: Cookie.Place, at now: Date) -> [(domain: String, index: Int)] {
    var found: [(domain: String, index: Int, pathLength: Int, order: Int)] = []
    for domain in CookieHost.domains(of: place.host) {
      guard let entries = domains[domain] else { continue }
      // By index: a copy of an entry costs more than a look at it.
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

  /// Whether there is one for `https` only that this one, which did not come over it, would be taken for (RFC 6265bis, 5.7).
  func hasSecure(overlaidBy cookie: Cookie, at now: Date) -> Bool {
    let isOverlaid = { (entry: Entry) in
      entry.cookie.isSecure && entry.cookie.name == cookie.name && !entry.cookie.isExpired(at: now)
        && Cookie.path(cookie.path, liesIn: entry.cookie.path)
    }
    // Of the domain and what it lies in, then of what lies in it.
    return CookieHost.domains(of: cookie.domain).contains { domains[$0]?.contains(where: isOverlaid) == true }
      || domains.contains { CookieHost.matches($0.key, domain: cookie.domain) && $0.value.contains(where: isOverlaid) }
  }

  /// Puts it in the place of one of the same name, domain and path, whose age it takes over.
  mutating func insert(_ cookie: Cookie, createdOrder: Int? = nil, limits: CookieJar.Limits, at now: Date) {
    order += 1
    var entry = Entry(cookie: cookie, createdOrder: createdOrder ?? order, usedOrder: order)
    if let old = domains[cookie.domain]?.first(where: { $0.cookie.isSame(as: cookie) }) {
      entry.createdOrder = old.createdOrder
      entry.cookie.created = old.cookie.created
      remove([cookie])
    }
    guard !cookie.isExpired(at: now) else { return }
    domains[cookie.domain, default: []].append(entry)
    count += 1
    makeRoom(in: cookie.domain, limits: limits, at: now)
  }

  /// Puts in many, in the order of their age. The one that was used last counts as that, wherever it stands.
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
    guard var entries = domains[domain] else { return }
    count -= entries.count
    entries.removeAll { isUnwanted($0.cookie) }
    count += entries.count
    domains[domain] = entries.isEmpty ? nil : entries
  }

  private mutating func makeRoom(in domain: String, limits: CookieJar.Limits, at now: Date) {
    if (domains[domain]?.count ?? 0) > limits.perDomain { removeAll(in: domain) { $0.isExpired(at: now) } }
    while let entries = domains[domain], entries.count > limits.perDomain {
      let hasOpen = entries.contains { !$0.cookie.isSecure }
      remove(leastUsed(of: CollectionOfOne((key: domain, value: entries)), sparingSecure: hasOpen))
    }
    guard count > limits.total else { return }
    if domains.values.contains(where: { $0.contains { $0.cookie.isExpired(at: now) } }) { removeAll { $0.isExpired(at: now) } }
    while count > limits.total { remove(leastUsed(of: domains, sparingSecure: false)) }
  }

  private func leastUsed(
    of domains: some Sequence<(key: String, value: [Entry])>, sparingSecure: Bool
  ) -> (domain: String, index: Int)? {
    var least: (domain: String, index: Int, order: Int)?
    for (name, entries) in domains {
      for index in entries.indices where !sparingSecure || !entries[index].cookie.isSecure {
        guard entries[index].usedOrder < least?.order ?? .max else { continue }
        least = (name, index, entries[index].usedOrder)
      }
    }
    return least.map { ($0.domain, $0.index) }
  }

  private mutating func remove(_ place: (domain: String, index: Int)?) {
    guard let (domain, index) = place else { return }
    domains[domain]?.remove(at: index)
    if domains[domain]?.isEmpty == true { domains[domain] = nil }
    count -= 1
  }
}

extension Cookie {
  fileprivate func isSame(as other: Cookie) -> Bool {
    name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
  }
}
