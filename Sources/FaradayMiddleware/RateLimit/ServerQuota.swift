internal import FaradayCore

/// The server's rate limit in the fields of a response. Invalid fields are ignored.
struct ServerQuota: Sendable, Equatable {
  /// The number of requests that are still allowed before ``reset``.
  var remaining: Int?
  /// The time until the quota is renewed.
  var reset: Duration?
  /// The time until any request may be sent.
  var retryAfter: Duration?

  var isEmpty: Bool { retryAfter == nil && (remaining == nil || reset == nil) }

  /// - Parameter unixTime: seconds since 1970.
  init(_ head: HTTPResponse, unixTime: Double) {
    let fields = head.headerFields
    let now = unixTime > 0 ? min(unixTime, 1e12) : 0
    if head.status.code == 429 || head.status.code == 503 {
      retryAfter = fields.retryAfter(now: { Int64(now) })
    }
    let quota = Self.structured(fields) ?? Self.dictionary(fields) ?? Self.separate(fields, unixTime: now)
    (remaining, reset) = (quota?.remaining, quota?.reset)
    // A server that returns 429 allows no more requests, despite its fields.
    if head.status.code == 429, reset != nil { remaining = 0 }
  }

  private typealias Quota = (remaining: Int, reset: Duration)

  /// `RateLimit: "burst";r=10;t=1, "day";r=900;t=3600`. A missing `t` defaults to the `w` of the policy of that name.
  private static func structured(_ fields: HTTPFields) -> Quota? {
    let windows = Dictionary(
      items(fields, "RateLimit-Policy").compactMap { item in item.number("w").map { (item.name, $0) } },
      uniquingKeysWith: { $1 })
    let quotas = items(fields, "RateLimit").compactMap { item -> Quota? in
      guard let left = item.number("r"), let time = item.number("t") ?? windows[item.name] else { return nil }
      return (count(left), .clamped(seconds: time))
    }
    return scarcest(quotas)
  }

  /// `RateLimit: limit=100, remaining=50, reset=5`.
  private static func dictionary(_ fields: HTTPFields) -> Quota? {
    var members: [String: Double] = [:]
    for field in fields[values: name("RateLimit")] {
      var scanner = FieldScanner(field)
      while !scanner.isAtEnd {
        scanner.skipSpace()
        guard let key = scanner.token(), scanner.take("="), let value = scanner.token() else { return nil }
        members[key.lowercased()] = seconds(value)
        scanner.skipSpace()
        guard scanner.take(",") || scanner.isAtEnd else { return nil }
      }
    }
    guard let left = members["remaining"], let reset = members["reset"] else { return nil }
    return (count(left), .clamped(seconds: reset))
  }

  /// `RateLimit-Remaining` and `-Reset`, and the older names, whose reset can be a point in time.
  private static func separate(_ fields: HTTPFields, unixTime: Double) -> Quota? {
    let quotas = ["RateLimit", "X-RateLimit", "X-Rate-Limit"].compactMap { prefix -> Quota? in
      guard let left = number(fields, prefix + "-Remaining"), let reset = number(fields, prefix + "-Reset") else { return nil }
      // A window of 31 years is not plausible: the value is a point in time, in milliseconds if it would otherwise be 31,000
      // years away.
      let delay = reset < 1e9 ? reset : (reset < 1e12 ? reset : reset / 1000) - unixTime
      return (count(left), .clamped(seconds: delay))
    }
    return scarcest(quotas)
  }

  private static func scarcest(_ quotas: [Quota]) -> Quota? {
    quotas.min { ($0.remaining, $1.reset) < ($1.remaining, $0.reset) }
  }

  // MARK: fields

  private struct Item {
    let name: String
    var parameters: [String: String] = [:]

    func number(_ key: String) -> Double? { parameters[key].flatMap(ServerQuota.seconds) }
  }

  /// Parses a list of items with parameters (RFC 9651, section 3.1). Empty if one of them is invalid.
  private static func items(_ fields: HTTPFields, _ name: String) -> [Item] {
    fields[values: self.name(name)].flatMap { value -> [Item] in
      var scanner = FieldScanner(value)
      var items: [Item] = []
      while !scanner.isAtEnd {
        scanner.skipSpace()
        guard var item = scanner.value().map({ Item(name: $0) }) else { return [] }
        while scanner.take(";") {
          scanner.skipSpace()
          guard let key = scanner.token() else { return [] }
          // A parameter without a value is true.
          guard scanner.take("=") else { continue }
          guard let value = bytes(&scanner) ?? scanner.value() else { return [] }
          item.parameters[key] = value
        }
        items.append(item)
        scanner.skipSpace()
        guard scanner.take(",") || scanner.isAtEnd else { return [] }
      }
      return items
    }
  }

  /// Parses a byte sequence, `:YWJj:`, such as the partition key of an item.
  private static func bytes(_ scanner: inout FieldScanner) -> String? {
    guard scanner.take(":") else { return nil }
    var text = ""
    while !scanner.take(":") {
      if let token = scanner.token() {
        text += token
      } else if !scanner.take("/"), !scanner.take("=") {
        return nil
      }
    }
    return text
  }

  private static func number(_ fields: HTTPFields, _ name: String) -> Double? {
    let values = fields[values: self.name(name)]
    // Some adapters join several values by commas: all values must be equal.
    let parts = Set(values.flatMap { $0.split(separator: ",").map { $0.trimming() } })
    return parts.count == 1 ? parts.first.flatMap { seconds(String($0)) } : nil
  }

  /// Parses a number that is not negative, with or without a fraction. Very many digits give a very large number.
  private static func seconds(_ text: String) -> Double? {
    let isNumber = text.utf8.first?.isDigit == true && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    guard isNumber, text.utf8.count <= 400, let number = Double(text) else { return nil }
    return min(number, 1e15)
  }

  /// Converts to a whole number, at most a billion, which limits nothing.
  private static func count(_ number: Double) -> Int { Int(min(number, 1e9)) }

  private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .retryAfter }
}
