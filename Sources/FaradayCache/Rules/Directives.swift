internal import FaradayCore

/// The directives of `Cache-Control` (RFC 9111, section 5.2), with lower-case names, in their order.
///
/// Malformed text is skipped up to the next comma, so that a malformed directive hides no later directive.
struct Directives {
  private var all: [(name: String, value: Value)] = []

  private enum Value: Equatable {
    case none
    case text(String)
    case malformed
  }

  init(_ headers: HTTPFields) {
    for value in headers[values: .cacheControl] { parse(value) }
  }

  var isEmpty: Bool { all.isEmpty }

  /// Whether the directive is there, with or without an argument.
  func contains(_ name: String) -> Bool { all.contains { $0.name == name } }

  /// Whether the directive is there without a list of fields. A malformed list counts as no list: the directive then applies to
  /// the whole response.
  func containsUnqualified(_ name: String) -> Bool {
    all.contains { $0.name == name && Self.fields(in: $0.value) == nil }
  }

  /// Returns the field names in the argument, for instance of `no-cache="Set-Cookie"`, in lower case.
  func fields(of name: String) -> [String] {
    all.flatMap { $0.name == name ? Self.fields(in: $0.value) ?? [] : [] }
  }

  /// Returns nil if the argument is not a list of names.
  private static func fields(in value: Value) -> [String]? {
    guard case .text(let list) = value else { return nil }
    let names = list.split(separator: ",").map { $0.trimming().lowercased() }.filter { !$0.isEmpty }
    return names.isEmpty || names.contains { HTTPField.Name($0) == nil } ? nil : names
  }

  /// Returns the argument in seconds; `missing` if there is no such directive. Conflicting arguments and an invalid number give
  /// `invalid`: RFC 9111, section 4.2.1, recommends treating such a response as stale.
  func seconds(_ name: String, invalid: Double, missing: Double? = nil) -> Double? {
    let found = all.filter { $0.name == name }.map(\.value)
    guard let first = found.first else { return nil }
    guard found.allSatisfy({ $0 == first }) else { return invalid }
    switch first {
    case .none: return missing ?? invalid
    case .text(let text): return text.deltaSeconds ?? invalid
    case .malformed: return invalid
    }
  }

  private mutating func parse(_ value: String) {
    var scanner = FieldScanner(value)
    while !scanner.isAtEnd {
      scanner.skipSpace()
      if scanner.take(",") { continue }
      guard let name = scanner.token() else {
        // Without this, a field without a comma would be parsed in an endless loop.
        scanner.skip(to: ",")
        continue
      }
      all.append((name.lowercased(), argument(&scanner)))
    }
  }

  private func argument(_ scanner: inout FieldScanner) -> Value {
    var value = Value.none
    if scanner.take("=") {
      // An unterminated quoted string must not hide the directives after it.
      var ahead = scanner
      if let text = ahead.value() {
        scanner = ahead
        value = .text(text)
      } else {
        value = .malformed
      }
    }
    scanner.skipSpace()
    guard !scanner.isAtEnd, !scanner.take(",") else { return value }
    scanner.skip(to: ",")
    return .malformed
  }
}

/// The directives of a request for caches (RFC 9111, section 5.2.1; RFC 5861, section 4).
struct RequestDirectives {
  var noStore = false
  var noCache = false
  var onlyIfCached = false
  var maxAge: Double?
  /// The accepted staleness in seconds; infinite if any staleness is accepted.
  var maxStale: Double?
  var minFresh: Double?
  var staleIfError: Double?

  init(_ headers: HTTPFields) {
    guard headers.contains(.cacheControl) else {
      // RFC 9111, section 5.4: only if there is no Cache-Control.
      if headers.contains(.pragma) {
        noCache = headers[values: .pragma].contains { value in
          value.split(separator: ",").contains { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "no-cache" }
        }
      }
      return
    }
    let directives = Directives(headers)
    noStore = directives.contains("no-store")
    noCache = directives.contains("no-cache")
    onlyIfCached = directives.contains("only-if-cached")
    // An invalid number gets the strictest value.
    maxAge = directives.seconds("max-age", invalid: 0)
    minFresh = directives.seconds("min-fresh", invalid: .infinity)
    maxStale = directives.seconds("max-stale", invalid: 0, missing: .infinity)
    staleIfError = directives.seconds("stale-if-error", invalid: 0)
  }
}

/// The directives of a response for caches (RFC 9111, section 5.2.2; RFC 5861; RFC 8246). `s-maxage` and `proxy-revalidate` are
/// for shared caches, and are ignored. `private` is for shared caches too, and allows this private cache to store the response.
struct ResponseDirectives: Sendable {
  let noStore: Bool
  let mustUnderstand: Bool
  let noCache: Bool
  /// The fields that must be revalidated before use, in lower case.
  let noCacheFields: [String]
  let mustRevalidate: Bool
  /// Whether the response may be stored with any status.
  let isPublicOrPrivate: Bool
  let isPublic: Bool
  let isImmutable: Bool
  let maxAge: Double?
  let staleWhileRevalidate: Double
  let staleIfError: Double

  init(_ headers: HTTPFields, _ policy: HTTPCache.Policy) {
    let directives = Directives(headers)
    noStore = directives.contains("no-store")
    mustUnderstand = directives.contains("must-understand")
    noCache = policy.alwaysRevalidates || directives.containsUnqualified("no-cache")
    noCacheFields = directives.fields(of: "no-cache")
    mustRevalidate = directives.contains("must-revalidate")
    isPublic = directives.contains("public")
    isPublicOrPrivate = isPublic || directives.contains("private")
    isImmutable = directives.contains("immutable")
    maxAge = directives.seconds("max-age", invalid: 0)
    staleWhileRevalidate = directives.seconds("stale-while-revalidate", invalid: 0) ?? 0
    staleIfError = directives.seconds("stale-if-error", invalid: 0) ?? 0
  }
}
