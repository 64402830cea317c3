internal import FaradayCore

/// How long a stored response is fresh, and how old it is (RFC 9111, section 4.2). Times are seconds since 1970.
struct Freshness: Sendable {
  /// The freshness lifetime in seconds (section 4.2.1); 0 if it is stale from the start.
  let lifetime: Double
  /// Whether the server has said how long it is fresh.
  let isExplicit: Bool
  /// `corrected_initial_age` of section 4.2.3.
  let initialAge: Double
  private let responseTime: Double

  init(
    status: Int, headers: HTTPFields, directives: ResponseDirectives, requestTime: Double, responseTime: Double,
    policy: HTTPCache.Policy
  ) {
    self.responseTime = responseTime
    // Without a date, or with one that is none, it was made when it came (RFC 9110, section 6.6.1).
    let date = Self.date(.date, of: headers) ?? responseTime
    let age = headers[values: .age].first.flatMap(Self.age) ?? 0
    initialAge = max(0, responseTime - date, age + max(0, responseTime - requestTime))

    if let maxAge = directives.maxAge {
      (lifetime, isExplicit) = (maxAge, true)
    } else if headers.contains(.expires) {
      // A malformed date means the past (section 5.3), and so do several that differ.
      let expires = Self.single(.expires, of: headers).flatMap {
        HTTPDate.parseStrictly($0, now: Date(timeIntervalSince1970: responseTime))
      }
      lifetime = expires.map { max(0, $0.timeIntervalSince1970 - date) } ?? 0
      isExplicit = true
    } else {
      isExplicit = false
      let mayBeGuessed = Self.heuristicStatuses.contains(status) || directives.isPublic
      let unchanged = Self.date(.lastModified, of: headers).map { max(0, date - $0) } ?? 0
      lifetime = mayBeGuessed ? min(unchanged * policy.heuristicFraction, policy.longestHeuristicLifetime) : 0
    }
  }

  /// `current_age` of section 4.2.3. A wall clock that was set back counts as if that time had passed.
  func age(at now: Double) -> Double { initialAge + abs(now - responseTime) }

  /// Statuses that may be stored and guessed the lifetime of without more (RFC 9110, section 15.1), except 206.
  static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// Parses a date leniently (RFC 9110, section 5.6.7). Nil if there is none, if it is no date of GMT (section 4.2), or if there are
  /// several that differ.
  private static func date(_ name: HTTPField.Name, of headers: HTTPFields) -> Double? {
    // The format of C's `asctime`, without a comma, has no zone.
    guard let value = single(name, of: headers), value.hasSuffix("GMT") || !value.utf8.contains(UInt8(ascii: ",")) else {
      return nil
    }
    return HTTPDate.parse(value)?.timeIntervalSince1970
  }

  /// The value of a field; nil if there is none, or if there are several that differ.
  private static func single(_ name: HTTPField.Name, of headers: HTTPFields) -> String? {
    let values = headers[values: name]
    return values.first.flatMap { first in values.allSatisfy { $0 == first } ? first : nil }
  }

  /// The first of a list (section 5.1); nil if it is no number.
  private static func age(_ value: String) -> Double? {
    var scanner = FieldScanner(value)
    scanner.skipSpace()
    return scanner.token()?.deltaSeconds
  }
}

extension HTTPCache.Policy {
  /// A fraction that makes sense.
  var heuristicFraction: Double { lastModifiedFraction.isNaN ? 0 : min(max(0, lastModifiedFraction), 1) }
  var longestHeuristicLifetime: Double { maximumHeuristicLifetime.inSeconds }
}

extension Duration {
  var inSeconds: Double {
    let parts = withinClocks.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }
}
