public import FaradayCore
private import Synchronization

/// A store for the alternative services of origins (RFC 7838): other hosts, ports and protocols that serve the same resources.
/// Kept in memory; can be read from and written to a file in curl's format. Thread-safe.
///
/// The store only keeps them: ``AlternativeServices`` uses them.
public final class AlternativeServiceStore: Sendable {
  /// An alternative service of an origin.
  package struct Alternative: Sendable, Hashable {
    /// The ALPN protocol name: `h2`, `h3`, `http/1.1`.
    package var protocolID: String
    /// The host, a lower-case ASCII name or an IP address without brackets.
    package var host: String
    /// The port.
    package var port: Int
    /// The expiry date.
    package var expires: Date
    /// Whether it survives a network change (`persist=1`).
    package var persists: Bool

    /// An alternative service.
    package init(protocolID: String, host: String, port: Int, expires: Date, persists: Bool = false) {
      self.protocolID = protocolID
      self.host = host
      self.port = port
      self.expires = expires
      self.persists = persists
    }
  }

  /// The server of an `https` URL.
  struct Place: Hashable {
    var host: String
    var port: Int
  }

  /// The known alternatives of an origin.
  struct Known {
    var alternatives: [Alternative]
    /// The protocol over which the origin advertised them, in the notation of curl's file.
    var source: String
  }

  /// An alternative that failed, which is ignored for a while.
  private struct Failed: Hashable {
    var origin: Place
    var protocolID: String
    var place: Place

    init(_ alternative: Alternative, of origin: Place) {
      self.origin = origin
      protocolID = alternative.protocolID
      place = Place(host: alternative.host, port: alternative.port)
    }
  }

  private struct State {
    /// The origins, the least recently updated first.
    var origins: LeastRecentlyUsed<Place, Known>
    /// The date until which each failed alternative is ignored.
    var failed: LeastRecentlyUsed<Failed, Date>

    init(limit: Int) {
      origins = LeastRecentlyUsed(capacity: limit)
      failed = LeastRecentlyUsed(capacity: limit)
    }
  }

  private let state: Mutex<State>
  private let limit: Int
  let now: @Sendable () -> Date

  /// The seconds for which a failed alternative is ignored.
  static let secondsAfterFailure = 300.0

  /// The maximum number of alternatives of one origin. Further ones are dropped.
  static let maximumPerOrigin = 16

  /// - Parameters:
  ///   - limit: the maximum number of origins: 1,000 by default. A new origin above the limit replaces the least recently
  ///     updated one.
  ///   - now: the clock for expiry.
  public init(limit: Int = 1000, now: @escaping @Sendable () -> Date = { Date() }) {
    self.limit = max(0, limit)
    self.now = now
    state = Mutex(State(limit: self.limit))
  }

  /// Returns the alternatives of the URL's origin that have neither expired nor failed, the preferred one first. Empty unless
  /// the URL is `https`.
  package func alternatives(for url: URL) -> [Alternative] {
    guard let place = Self.place(of: url) else { return [] }
    let now = now()
    return state.withLock { state in
      (state.origins.peek(place)?.alternatives ?? []).filter { alternative in
        alternative.expires > now && state.failed.peek(Failed(alternative, of: place)).map { $0 <= now } ?? true
      }
    }
  }

  /// Removes a failed alternative, and ignores it for five minutes, because the origin continues to advertise it. A network
  /// change ends that time.
  package func reject(_ alternative: Alternative, for url: URL) {
    guard let place = Self.place(of: url) else { return }
    let now = now()
    let failed = Failed(alternative, of: place)
    state.withLock { state in
      state.origins.update(place) { $0.alternatives.removeAll { Failed($0, of: place) == failed } }
      if state.origins.peek(place)?.alternatives.isEmpty == true { state.origins.remove(place) }
      state.failed.removeAll { $0 <= now }
      state.failed[failed] = now.addingTimeInterval(Self.secondsAfterFailure)
    }
  }

  /// Stores the alternatives of a response's `Alt-Svc` field, and replaces the known alternatives of the URL's origin; `clear`
  /// removes them. A malformed field or a URL that is not `https` is ignored, and false is returned. The caller must check that
  /// the certificate was verified.
  ///
  /// - Parameters:
  ///   - version: the HTTP version of the response; written to curl's file.
  ///   - age: the seconds of the response's `Age` field, which are subtracted from each lifetime (section 3.1).
  @discardableResult
  package func receive(_ field: String, from url: URL, version: HTTPVersion = .http1_1, age: Int = 0) -> Bool {
    guard let place = Self.place(of: url), let header = AltSvcHeader(parsing: field) else { return false }
    let now = now()
    switch header {
    case .clear: set([], of: place, source: "")
    case .alternatives(let found):
      let alternatives = found.prefix(Self.maximumPerOrigin).map { found in
        let seconds = found.maximumAge - Double(max(0, age))
        return Alternative(
          protocolID: found.protocolID, host: found.host ?? place.host, port: found.port,
          expires: min(now.addingTimeInterval(seconds), Timestamp.latest), persists: found.persists)
      }
      set(alternatives.filter { $0.expires > now }, of: place, source: Self.source(version))
    }
    return true
  }

  /// Stores the alternatives of the URL's origin, and replaces the known ones. Ignored unless the URL is `https`. Alternatives
  /// without a valid host, port and protocol name are left out.
  package func set(_ alternatives: [Alternative], for url: URL) {
    guard let place = Self.place(of: url) else { return }
    let valid = alternatives.filter { alternative in
      CookieHost.canonical(alternative.host) == alternative.host && (1...65_535).contains(alternative.port)
        && Self.isProtocolID(alternative.protocolID)
    }
    set(Array(valid.prefix(Self.maximumPerOrigin)), of: place, source: "h1")
  }

  /// Removes all alternatives.
  public func removeAll() { state.withLock { $0 = State(limit: limit) } }

  /// Removes the alternatives that do not survive a network change (section 2.2). Call it when the network has changed.
  public func networkChanged() {
    state.withLock { state in
      for (place, _) in state.origins.elements { state.origins.update(place) { $0.alternatives.removeAll { !$0.persists } } }
      state.origins.removeAll { $0.alternatives.isEmpty }
      state.failed = LeastRecentlyUsed(capacity: limit)
    }
  }

  /// All origins with alternatives that have not expired, the most recently updated last.
  var known: [(place: Place, known: Known)] {
    let now = now()
    return state.withLock { $0.origins.elements }.compactMap { place, known in
      var known = known
      known.alternatives.removeAll { $0.expires <= now }
      return known.alternatives.isEmpty ? nil : (place, known)
    }
  }

  func set(_ alternatives: [Alternative], of place: Place, source: String) {
    state.withLock { state in
      state.origins[place] = alternatives.isEmpty ? nil : Known(alternatives: alternatives, source: source)
    }
  }

  static func place(of url: URL) -> Place? {
    guard url.scheme?.lowercased() == "https", let host = CookieHost.canonical(url) else { return nil }
    return Place(host: host.withoutTrailingDot, port: url.port ?? 443)
  }

  /// A port from 1 to 65,535.
  static func port(_ text: Substring) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), let port = UInt16(text), port > 0 else {
      return nil
    }
    return Int(port)
  }

  /// Whether the name is visible ASCII, of the length that ALPN allows (RFC 7301, section 3.1).
  static func isProtocolID(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func source(_ version: HTTPVersion) -> String {
    switch version {
    case .http2: "h2"
    case .http3: "h3"
    default: "h1"
    }
  }
}

extension AlternativeServiceStore: CustomStringConvertible {
  public var description: String { "AlternativeServiceStore(\(known.count) origins)" }
}
