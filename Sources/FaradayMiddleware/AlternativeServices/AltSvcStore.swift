public import FaradayCore
private import Synchronization

/// The alternative services of origins (RFC 7838): at which other host, port and protocol the same resources are to be had. In
/// memory; it can be read from and written to a file in curl's format. Thread-safe.
///
/// It only knows them: ``AlternativeServices`` uses them.
public final class AltSvcStore: Sendable {
  /// An alternative service of an origin.
  public struct Alternative: Sendable, Hashable {
    /// The ALPN protocol name: `h2`, `h3`, `http/1.1`.
    public var protocolID: String
    /// The host, a lower-case ASCII name or an IP address without brackets.
    public var host: String
    /// The port.
    public var port: Int
    /// When it is forgotten.
    public var expires: Date
    /// Whether it outlives a change of the network (`persist=1`).
    public var persists: Bool

    /// An alternative service.
    public init(protocolID: String, host: String, port: Int, expires: Date, persists: Bool = false) {
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

  /// What is known of an origin.
  struct Known {
    var alternatives: [Alternative]
    /// The protocol by which the origin said so, as curl's file has it.
    var source: String
    var order = 0
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
    var origins: [Place: Known] = [:]
    var order = 0
    /// Until when each is ignored.
    var failed: [Failed: Date] = [:]
  }

  private let state = Mutex(State())
  private let limit: Int
  let now: @Sendable () -> Date

  /// How long an alternative that failed is ignored, in seconds.
  static let secondsAfterFailure = 300.0

  /// The maximum number of alternatives of one origin: what comes behind is dropped.
  static let maximumPerOrigin = 16

  /// - Parameters:
  ///   - limit: the maximum number of origins: 1,000 by default. One more replaces the one that was heard of least recently.
  ///   - now: the clock that expiry is measured by.
  public init(limit: Int = 1000, now: @escaping @Sendable () -> Date = { Date() }) {
    self.limit = max(0, limit)
    self.now = now
  }

  /// The alternatives of the URL's origin that have not expired and not failed, the preferred one first. None unless the URL is
  /// `https`.
  public func alternatives(for url: URL) -> [Alternative] {
    guard let place = Self.place(of: url) else { return [] }
    let now = now()
    return state.withLock { state in
      (state.origins[place]?.alternatives ?? []).filter { alternative in
        alternative.expires > now && state.failed[Failed(alternative, of: place)].map { $0 <= now } ?? true
      }
    }
  }

  /// Forgets an alternative that failed, and ignores it for five minutes, as the origin goes on to advertise it. A change of the
  /// network ends that too.
  public func reject(_ alternative: Alternative, for url: URL) {
    guard let place = Self.place(of: url) else { return }
    let now = now()
    let failed = Failed(alternative, of: place)
    state.withLock { state in
      state.origins[place]?.alternatives.removeAll { Failed($0, of: place) == failed }
      if state.origins[place]?.alternatives.isEmpty == true { state.origins[place] = nil }
      state.failed = state.failed.filter { $0.value > now }
      guard limit > 0 else { return }
      state.failed[failed] = now.addingTimeInterval(Self.secondsAfterFailure)
      while state.failed.count > limit, let oldest = state.failed.min(by: { $0.value < $1.value }) {
        state.failed[oldest.key] = nil
      }
    }
  }

  /// Stores what an `Alt-Svc` field of a response from the URL says, in place of what is known of its origin; `clear` removes it.
  /// Ignored, with false returned, are a malformed field and a URL that is not `https`. Whether the certificate was verified is for
  /// the caller to know.
  ///
  /// - Parameters:
  ///   - version: the HTTP version of the response; it stands in curl's file.
  ///   - age: the seconds of the response's `Age` field, by which each lifetime is shortened (section 3.1).
  @discardableResult
  public func receive(_ field: String, from url: URL, version: HTTPVersion = .http1_1, age: Int = 0) -> Bool {
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

  /// Stores the alternatives of the URL's origin, in place of what is known of it. Ignored unless the URL is `https`; those without a
  /// valid host, port and protocol name are left out.
  public func set(_ alternatives: [Alternative], for url: URL) {
    guard let place = Self.place(of: url) else { return }
    let valid = alternatives.filter { alternative in
      CookieHost.canonical(alternative.host) == alternative.host && (1...65_535).contains(alternative.port)
        && Self.isProtocolID(alternative.protocolID)
    }
    set(Array(valid.prefix(Self.maximumPerOrigin)), of: place, source: "h1")
  }

  /// Forgets all alternatives.
  public func removeAll() { state.withLock { $0 = State(order: $0.order) } }

  /// Forgets the alternatives that do not outlive a change of the network (section 2.2): call it when the network has changed.
  public func networkChanged() {
    state.withLock { state in
      for place in state.origins.keys { state.origins[place]?.alternatives.removeAll { !$0.persists } }
      state.origins = state.origins.filter { !$0.value.alternatives.isEmpty }
      state.failed = [:]
    }
  }

  /// All origins with alternatives that have not expired, the one that was heard of last at the end.
  var known: [(place: Place, known: Known)] {
    let now = now()
    return state.withLock { $0.origins }.sorted { $0.value.order < $1.value.order }.compactMap { place, known in
      var known = known
      known.alternatives.removeAll { $0.expires <= now }
      return known.alternatives.isEmpty ? nil : (place, known)
    }
  }

  func set(_ alternatives: [Alternative], of place: Place, source: String) {
    state.withLock { state in
      state.order += 1
      state.origins[place] = alternatives.isEmpty ? nil : Known(alternatives: alternatives, source: source, order: state.order)
      while state.origins.count > limit, let oldest = state.origins.min(by: { $0.value.order < $1.value.order }) {
        state.origins[oldest.key] = nil
      }
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

  /// Whether it is visible ASCII, of the length that ALPN allows (RFC 7301, section 3.1).
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

extension AltSvcStore: CustomStringConvertible {
  public var description: String { "AltSvcStore(\(known.count) origins)" }
}
