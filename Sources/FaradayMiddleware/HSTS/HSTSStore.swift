public import FaradayCore
private import Synchronization

/// A store for the hosts that require `https` (RFC 6797, section 5). Kept in memory; can be read from and written to a file in
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
    /// Whether its subdomains are included.
    public let includesSubdomains: Bool
    /// The expiry date; nil means never.
    public let expires: Date?
  }

  private struct State {
    /// The entries by host, the least recently updated first.
    var entries: LeastRecentlyUsed<String, Entry>
    /// The number of hosts that were added to the full store since expired ones were removed.
    var additions = 0

    init(limit: Int) { entries = LeastRecentlyUsed(capacity: limit) }

    mutating func insert(_ entry: Entry, limit: Int, now: Date) {
      if entries.count >= limit, entries.peek(entry.host) == nil {
        // Searching all entries for each new host would be slow.
        additions += 1
        if additions > limit / 8 {
          additions = 0
          entries.removeAll { $0.isExpired(at: now) }
        }
      }
      entries.insert(entry, for: entry.host)
    }
  }

  private let state: Mutex<State>
  private let limit: Int
  let now: @Sendable () -> Date

  /// - Parameters:
  ///   - limit: the maximum number of hosts: 1,000 by default. A new host above the limit replaces expired hosts, which are
  ///     searched for at intervals, or the least recently updated host.
  ///   - now: the clock for expiry.
  public init(limit: Int = 1000, now: @escaping @Sendable () -> Date = { Date() }) {
    self.limit = max(0, limit)
    self.now = now
    state = Mutex(State(limit: self.limit))
  }

  /// All hosts that have not expired, by name.
  public var entries: [Entry] {
    let now = now()
    return state.withLock { $0.entries.elements.map(\.value) }.filter { !$0.isExpired(at: now) }.sorted { $0.host < $1.host }
  }

  /// Whether the URL's host requires `https`: it is a known host, or a subdomain of a known host that includes subdomains.
  /// Always false for an IP address.
  public func requiresHTTPS(_ url: URL) -> Bool {
    guard let host = Self.host(of: url) else { return false }
    let now = now()
    return state.withLock { state in
      CookieHost.domains(of: host).contains { domain in
        guard let entry = state.entries.peek(domain), !entry.isExpired(at: now) else { return false }
        return domain == host || entry.includesSubdomains
      }
    }
  }

  /// Returns the `https` form of an `http` URL whose host requires it: port 80 becomes 443, others are kept. Nil for other
  /// URLs.
  public func secureURL(for url: URL) -> URL? {
    guard url.scheme?.lowercased() == "http", requiresHTTPS(url) else { return nil }
    var parts = URLParts(url.absoluteString)
    parts.start = "https://"
    // Without a port the default is 443.
    if url.port == 80, let colon = parts.host.lastIndex(of: ":") { parts.host = parts.host[..<colon] }
    return URL(text: parts.description)
  }

  /// Stores the host of a response with its `Strict-Transport-Security` field; a `max-age` of 0 removes the host. A malformed
  /// field, a URL that is not `https` and an IP address are ignored, and false is returned. The caller must check that the
  /// certificate was verified.
  @discardableResult
  package func receive(_ field: String, from url: URL) -> Bool {
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

  /// Stores a host, and replaces its entry. Returns false for an IP address and an invalid host name.
  ///
  /// - Parameter expires: the expiry date; nil means never.
  @discardableResult
  public func insert(_ host: String, includesSubdomains: Bool, expires: Date?) -> Bool {
    guard let host = Self.canonical(host) else { return false }
    insert(Entry(host: host, includesSubdomains: includesSubdomains, expires: expires))
    return true
  }

  /// Removes a host.
  public func remove(_ host: String) {
    guard let host = Self.canonical(host) else { return }
    state.withLock { _ = $0.entries.remove(host) }
  }

  /// Removes all hosts.
  public func removeAll() { state.withLock { $0 = State(limit: limit) } }

  private func insert(_ entry: Entry) {
    let now = now()
    state.withLock { $0.insert(entry, limit: limit, now: now) }
  }

  /// Adds an entry of a file. For a host that is already stored, the later expiry and the wider range apply, as in curl.
  func merge(_ entry: Entry) {
    let now = now()
    state.withLock { state in
      var entry = entry
      if let known = state.entries.peek(entry.host), !known.isExpired(at: now) {
        let expires: Date? = if let first = known.expires, let second = entry.expires { max(first, second) } else { nil }
        entry = Entry(
          host: entry.host, includesSubdomains: known.includesSubdomains || entry.includesSubdomains, expires: expires)
      }
      state.insert(entry, limit: limit, now: now)
    }
  }

  private static func host(of url: URL) -> String? { url.host(percentEncoded: false).flatMap(canonical) }

  /// Returns a host name without its trailing dot; nil for an IP address (RFC 6797, section 8.1.1) and an invalid name.
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
