internal import FaradayCore

/// The directives of `Cache-Control` (RFC 9111, section 5.2), with lower-case names, in their order.
///
/// What cannot be parsed is skipped up to the next comma, so that a broken directive hides none behind it.
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

  /// Whether the directive is there without a list of fields. A malformed list counts as none: the whole response is meant then.
  func containsUnqualified(_ name: String) -> Bool {
    all.contains { $0.name == name && Self.fields(in: $0.value) == nil }
  }

  /// The names of fields in the argument, as of `no-cache="Set-Cookie"`, in lower case.
  func fields(of name: String) -> [String] {
    all.flatMap { $0.name == name ? Self.fields(in: $0.value) ?? [] : [] }
  }

  /// Nil if the argument is no list of names.
  private static func fields(in value: Value) -> [String]? {
    guard case .text(let list) = value else { return nil }
    let names = list.split(separator: ",").map { $0.trimming().lowercased() }.filter { !$0.isEmpty }
    return names.isEmpty || names.contains { HTTPField.Name($0) == nil } ? nil : names
  }

  /// The argument in seconds; nil if there is no such directive. Several that differ, and one that is no number, are `invalid`: RFC
  /// 9111, section 4.2.1, wants such a response to be taken for stale.
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
        // A field without a comma would be parsed here for ever.
        scanner.skip(to: ",")
        continue
      }
      all.append((name.lowercased(), argument(&scanner)))
    }
  }

  private func argument(_ scanner: inout FieldScanner) -> Value {
    var value = Value.none
    if scanner.take("=") {
      // A quoted string without its end must not swallow the directives behind it.
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

/// What a request asks of caches (RFC 9111, section 5.2.1; RFC 5861, section 4).
struct RequestDirectives {
  var noStore = false
  var noCache = false
  var onlyIfCached = false
  var maxAge: Double?
  /// Infinite if any staleness is accepted.
  var maxStale: Double?
  var minFresh: Double?
  var staleIfError: Double?

  init(_ headers: HTTPFields) {
    guard headers.contains(.cacheControl) else {
      // RFC 9111, section 5.4: only where there is no Cache-Control.
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
    // An argument that is no number asks for something: the strictest that it can be.
    maxAge = directives.seconds("max-age", invalid: 0)
    minFresh = directives.seconds("min-fresh", invalid: .infinity)
    maxStale = directives.seconds("max-stale", invalid: 0, missing: .infinity)
    staleIfError = directives.seconds("stale-if-error", invalid: 0)
  }
}

/// What a response says to caches (RFC 9111, section 5.2.2; RFC 5861; RFC 8246). `s-maxage` and `proxy-revalidate` are for shared
/// caches, and ignored; `private` is for them too, and says that this one may store.
struct ResponseDirectives: Sendable {
  let noStore: Bool
  let mustUnderstand: Bool
  let noCache: Bool
  /// Fields that need a validation to be used, in lower case.
  let noCacheFields: [String]
  let mustRevalidate: Bool
  /// Whether it may be stored whatever its status is.
  let isPublicOrPrivate: Bool
  let isPublic: Bool
  let isImmutable: Bool
  let maxAge: Double?
  let staleWhileRevalidate: Double
  let staleIfError: Double

  init(_ headers: HTTPFields) {
    let directives = Directives(headers)
    noStore = directives.contains("no-store")
    mustUnderstand = directives.contains("must-understand")
    noCache = directives.containsUnqualified("no-cache")
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
