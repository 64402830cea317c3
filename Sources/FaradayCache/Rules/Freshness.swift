internal import FaradayCore

/// The freshness lifetime and the age of a stored response (RFC 9111, section 4.2). Times are seconds since 1970.
struct Freshness: Sendable {
  /// The freshness lifetime in seconds (section 4.2.1); 0 if it is stale from the start.
  let lifetime: Double
  /// Whether the server has stated the lifetime.
  let isExplicit: Bool
  /// The `corrected_initial_age` of section 4.2.3.
  let initialAge: Double
  private let responseTime: Double

  init(
    status: Int, headers: HTTPFields, directives: ResponseDirectives, requestTime: Double, responseTime: Double,
    policy: HTTPCache.Policy
  ) {
    self.responseTime = responseTime
    // A response without a valid date was created at its arrival (RFC 9110, section 6.6.1).
    let date = Self.date(.date, of: headers) ?? responseTime
    let age = headers[values: .age].first.flatMap(Self.age) ?? 0
    initialAge = max(0, responseTime - date, age + max(0, responseTime - requestTime))

    if let maxAge = directives.maxAge {
      (lifetime, isExplicit) = (maxAge, true)
    } else if headers.contains(.expires) {
      // A malformed date means the past (section 5.3), and so do conflicting dates.
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

  /// Returns the `current_age` of section 4.2.3. A wall clock that was set back counts as if the difference had passed.
  func age(at now: Double) -> Double { initialAge + abs(now - responseTime) }

  /// Statuses that can be stored with a heuristic lifetime (RFC 9110, section 15.1), except 206.
  static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// Parses a date leniently (RFC 9110, section 5.6.7). Returns nil if there is no date, if its zone is not GMT (section 4.2),
  /// or if dates conflict.
  private static func date(_ name: HTTPField.Name, of headers: HTTPFields) -> Double? {
    // The format of C's `asctime`, without a comma, has no time zone.
    guard let value = single(name, of: headers), value.hasSuffix("GMT") || !value.utf8.contains(UInt8(ascii: ",")) else {
      return nil
    }
    return HTTPDate.parse(value)?.timeIntervalSince1970
  }

  /// Returns the value of a field; nil if there is none, or if several values conflict.
  private static func single(_ name: HTTPField.Name, of headers: HTTPFields) -> String? {
    let values = headers[values: name]
    return values.first.flatMap { first in values.allSatisfy { $0 == first } ? first : nil }
  }

  /// Parses the first element of a list (section 5.1). Returns nil if it is not a number.
  private static func age(_ value: String) -> Double? {
    var scanner = FieldScanner(value)
    scanner.skipSpace()
    return scanner.token()?.deltaSeconds
  }
}

extension HTTPCache.Policy {
  /// The fraction, clamped to a valid range.
  var heuristicFraction: Double { lastModifiedFraction.isNaN ? 0 : min(max(0, lastModifiedFraction), 1) }
  var longestHeuristicLifetime: Double { maximumHeuristicLifetime.withinClocks.inSeconds }
}
