internal import FaradayCore

/// The value of a `Cookie` field: the caller's cookies, then cookies of a jar as long as they fit.
struct CookieField: Sendable {
  /// The field's value.
  private(set) var value: [UInt8] = []
  private var count = 0
  /// The names of the caller's cookies.
  private var names: Set<[UInt8]> = []

  /// - Parameter own: the caller's `Cookie` fields, which have no size limit.
  init(_ own: [HTTPField] = []) {
    for field in own {
      let bytes = field.withUnsafeBytesOfValue { Array($0) }
      if !bytes.isEmpty { append(bytes) }
      for pair in bytes.split(separator: UInt8(ascii: ";")) {
        names.insert(pair.firstIndex(of: UInt8(ascii: "=")).map { Array(pair[..<$0].trimming()) } ?? [])
        count += 1
      }
    }
  }

  /// Whether the caller has a cookie of the same name, which is sent instead.
  func replaces(_ cookie: Cookie) -> Bool { names.contains(cookie.nameBytes) }

  /// Appends a cookie if the field stays within the limits. Returns false if it does not.
  mutating func append(_ cookie: Cookie, within limits: CookieJar.Limits) -> Bool {
    let pair = cookie.pair
    let size = Self.overhead + value.count + (value.isEmpty ? 0 : 2) + pair.count
    guard count < limits.perRequest, size <= limits.bytesPerRequest else { return false }
    append(pair)
    count += 1
    return true
  }

  private mutating func append(_ bytes: [UInt8]) {
    if !value.isEmpty { value += "; ".utf8 }
    value += bytes
  }

  /// The length of the field's name, colon and space.
  private static let overhead = "Cookie: ".utf8.count
}
