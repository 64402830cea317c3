@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// What an adapter remembers about an origin. The requests to it share the object. Thread-safe.
final class KnownOrigin: Sendable {
  private struct State: Sendable {
    var parsed: ParsedOrigin?
    var lacksLengths = false
    /// The result of the last call of `connectionOptions(_:make:)`, and its key.
    var made: (key: ConnectionOptions.Key, options: ConnectionOptions?)?
  }

  /// `https://host:port`.
  let text: String
  private let state = Mutex(State())

  init(_ text: String) { self.text = text }

  /// The parsed origin; nil if libcurl cannot parse it, or it is too long to be remembered.
  var parsed: ParsedOrigin? {
    guard KnownOrigins.remembers(text) else { return nil }
    return state.withLock { state in
      if state.parsed == nil { state.parsed = ParsedOrigin(text) }
      return state.parsed
    }
  }

  /// Whether a response of the origin had no length, so that HTTP/2 is useless for it: see ``Transfer/mayBeHTTP2``.
  var lacksLengths: Bool {
    get { state.withLock { $0.lacksLengths } }
    set { state.withLock { $0.lacksLengths = newValue } }
  }

  /// The connection options of a request without a proxy. Only the last ones are remembered: most requests to an origin have
  /// the same options.
  func connectionOptions(_ key: ConnectionOptions.Key, make: () -> ConnectionOptions?) -> ConnectionOptions? {
    if let made = state.withLock({ $0.made }), made.key == key { return made.options }
    let options = make()
    replace((key, options))
    return options
  }

  /// Forgets the connection options, which may have credentials.
  func forgetConnectionOptions() { replace(nil) }

  private func replace(_ made: (key: ConnectionOptions.Key, options: ConnectionOptions?)?) {
    let old = state.withLock { state in
      defer { state.made = made }
      return state.made
    }
    // Released outside of the lock: that may run the caller's code.
    withExtendedLifetime(old) {}
  }
}

/// The origins that an adapter remembers, bounded in number. Thread-safe.
final class KnownOrigins: Sendable {
  /// The maximum number of origins. When it is reached, all origins are removed, except those without lengths if they are less
  /// than half.
  private let limit = 1000
  private let origins = Mutex<[String: KnownOrigin]>([:])

  /// Whether an origin is short enough to be remembered. A host name has at most 253 characters (RFC 1035, section 2.3.4).
  static func remembers(_ origin: String) -> Bool { origin.utf8.count < 300 }

  /// The origin; a new one each time if it is not remembered.
  subscript(origin: String) -> KnownOrigin {
    guard Self.remembers(origin) else { return KnownOrigin(origin) }
    let (result, forgotten) = origins.withLock { origins -> (KnownOrigin, [String: KnownOrigin]) in
      if let known = origins[origin] { return (known, [:]) }
      var forgotten: [String: KnownOrigin] = [:]
      if origins.count >= limit {
        forgotten = origins
        let withoutLengths = origins.filter(\.value.lacksLengths)
        origins = withoutLengths.count < limit / 2 ? withoutLengths : [:]
      }
      let new = KnownOrigin(origin)
      origins[origin] = new
      return (new, forgotten)
    }
    // Released outside of the lock: that may run the caller's code.
    withExtendedLifetime(forgotten) {}
    return result
  }

  /// Forgets the connection options of all origins.
  func forgetConnectionOptions() {
    for origin in origins.withLock({ Array($0.values) }) { origin.forgetConnectionOptions() }
  }
}
