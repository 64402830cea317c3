public import FaradayCore
private import Synchronization

/// The hosts that are to be asked over `https` only (RFC 6797, section 5). In memory; it can be read from and written to a file in
/// curl's format. Thread-safe.
///
///     let store = HSTSStore()
///     try store.read(from: "hsts.txt")
///     connection.use(.hsts(store))
///     try store.write(to: "hsts.txt")
public final class HSTSStore: Sendable {
  /// A known HSTS host.
  public struct Entry: Sendable, Hashable {
    /// The host: a lower-case ASCII name without a trailing dot.
    public let host: String
    /// Whether its subdomains are meant too.
    public let includesSubdomains: Bool
    /// When it is forgotten; nil for never.
    public let expires: Date?
  }

  private struct State {
    var entries: [String: (entry: Entry, order: Int)] = [:]
    var order = 0
    /// The hosts in the order in which they were heard of; one that was heard of again, or forgotten, has an old number.
    var heard = Fifo<(host: String, order: Int)>()
    /// How many hosts were added above the limit since expired ones were looked for.
    var additions = 0

    mutating func insert(_ entry: Entry, limit: Int, now: Date) {
      order += 1
      entries[entry.host] = (entry, order)
      heard.append((entry.host, order))
      if heard.count / 2 - 8 > entries.count {
        let known = entries
        heard.removeAll { known[$0.host]?.order != $0.order }
      }
      guard entries.count > limit else { return }
      // Looking at all of them for each one would take long.
      additions += 1
      if additions > limit / 8 {
        additions = 0
        entries = entries.filter { !$0.value.entry.isExpired(at: now) }
      }
      while entries.count > limit, let oldest = heard.popFirst() {
        if entries[oldest.host]?.order == oldest.order { entries[oldest.host] = nil }
      }
    }
  }

  private let state = Mutex(State())
  private let limit: Int
  let now: @Sendable () -> Date

  /// - Parameters:
  ///   - limit: the maximum number of hosts: 1,000 by default. One more replaces expired ones, which are looked for now and then, or
  ///     the one that was heard of least recently.
  ///   - now: the clock that expiry is measured by.
  public init(limit: Int = 1000, now: @escaping @Sendable () -> Date = { Date() }) {
    self.limit = max(0, limit)
    self.now = now
  }

  /// All hosts that have not expired, by name.
  public var entries: [Entry] {
    let now = now()
    return state.withLock { $0.entries.values.map(\.entry) }.filter { !$0.isExpired(at: now) }.sorted { $0.host < $1.host }
  }

  /// Whether the URL's host is to be asked over `https`: it is a known host, or a subdomain of one that includes subdomains. An IP
  /// address never is.
  public func requiresHTTPS(_ url: URL) -> Bool {
    guard let host = Self.host(of: url) else { return false }
    let now = now()
    return state.withLock { state in
      CookieHost.domains(of: host).contains { domain in
        guard let entry = state.entries[domain]?.entry, !entry.isExpired(at: now) else { return false }
        return domain == host || entry.includesSubdomains
      }
    }
  }

  /// The `https` form of an `http` URL whose host requires it: port 80 becomes 443, others are kept. Nil for other URLs.
  public func secureURL(for url: URL) -> URL? {
    guard url.scheme?.lowercased() == "http", requiresHTTPS(url) else { return nil }
    var parts = URLParts(url.absoluteString)
    parts.start = "https://"
    // Without a port it is 443.
    if url.port == 80, let colon = parts.host.lastIndex(of: ":") { parts.host = parts.host[..<colon] }
    return URL(text: parts.description)
  }

  /// Stores what a `Strict-Transport-Security` field of a response from the URL says; a `max-age` of 0 removes the host. Ignored, with
  /// false returned, are a malformed field, a URL that is not `https`, and an IP address. Whether the certificate was verified is for
  /// the caller to know.
  @discardableResult
  public func receive(_ field: String, from url: URL) -> Bool {
    guard url.scheme?.lowercased() == "https", let host = Self.host(of: url),
      let policy = StrictTransportSecurity(parsing: field)
    else { return false }
    guard policy.maximumAge > 0 else {
      remove(host)
      return true
    }
    let expires = now().addingTimeInterval(policy.maximumAge)
    insert(
      Entry(host: host, includesSubdomains: policy.includesSubdomains, expires: expires < Timestamp.latest ? expires : nil))
    return true
  }

  /// Stores a host, in place of what is known of it. False for an IP address and what is not a host name.
  ///
  /// - Parameter expires: when it is forgotten; nil for never.
  @discardableResult
  public func insert(_ host: String, includesSubdomains: Bool, expires: Date?) -> Bool {
    guard let host = Self.canonical(host) else { return false }
    insert(Entry(host: host, includesSubdomains: includesSubdomains, expires: expires))
    return true
  }

  /// Forgets a host.
  public func remove(_ host: String) {
    guard let host = Self.canonical(host) else { return }
    state.withLock { _ = $0.entries.removeValue(forKey: host) }
  }

  /// Forgets all hosts.
  public func removeAll() { state.withLock { $0 = State() } }

  private func insert(_ entry: Entry) {
    let now = now()
    state.withLock { $0.insert(entry, limit: limit, now: now) }
  }

  /// Adds what a file says: of what is known already the later expiry and the wider range count, as in curl.
  func merge(_ entry: Entry) {
    let now = now()
    state.withLock { state in
      var entry = entry
      if let known = state.entries[entry.host]?.entry, !known.isExpired(at: now) {
        let expires: Date? = if let first = known.expires, let second = entry.expires { max(first, second) } else { nil }
        entry = Entry(
          host: entry.host, includesSubdomains: known.includesSubdomains || entry.includesSubdomains, expires: expires)
      }
      state.insert(entry, limit: limit, now: now)
    }
  }

  private static func host(of url: URL) -> String? { url.host(percentEncoded: false).flatMap(canonical) }

  /// A host name without its trailing dot; nil for an IP address (RFC 6797, section 8.1.1) and what is no name.
  static func canonical(_ text: String) -> String? {
    guard let host = CookieHost.canonical(text), !CookieHost.isAddress(host) else { return nil }
    return host.withoutTrailingDot
  }
}

extension HSTSStore.Entry {
  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension HSTSStore: CustomStringConvertible {
  public var description: String { "HSTSStore(\(entries.count) hosts)" }
}
