/// The parameters of a URL query or a form (`application/x-www-form-urlencoded`): names and values in order, repeated names kept.
///
///     request.query = ["sort": sort, "tag": "a", "tag": "b", "page": 2, "verbose": nil]  // ?sort=name&tag=a&tag=b&page=2&verbose
///     request.query["page"] = "2"
public struct QueryParameters: Sendable, Hashable {
  /// One name and its value, decoded. Equality ignores how they were percent-encoded.
  public struct Item: Sendable, Hashable {
    /// The name, decoded.
    public var name: String { didSet { spelling = nil } }
    /// The value, decoded; nil for an item without `=`.
    public var value: String? { didSet { spelling = nil } }
    /// The original text in the URL that it was parsed from, with neighbouring empty items; nil if the item was created or changed.
    fileprivate var spelling: Substring?

    /// An item; a nil value makes it one without `=`.
    public init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }

    public static func == (left: Item, right: Item) -> Bool { left.name == right.name && left.value == right.value }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(value)
    }
  }

  /// The items, in order.
  public var items: [Item]

  /// Parameters from items, in order.
  public init(_ items: [Item] = []) { self.items = items }

  /// Parses a query or a form. An invalid percent-escape is kept as it is.
  ///
  /// - Parameter plusIsSpace: whether `+` is decoded as a space, as in forms. In a URL it is a plus sign (RFC 3986).
  public init(parsing text: some StringProtocol, plusIsSpace: Bool = false) {
    let decode = { (bytes: Substring.UTF8View) in QueryParameters.decode(Substring(bytes), plusIsSpace: plusIsSpace) }
    // By bytes, as servers do: a `Character` joins an `&` with an accent behind it.
    items = Substring(text).utf8.split(separator: Self.separator).map { item in
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return Item(decode(item), nil) }
      return Item(decode(item[..<equals]), decode(item[item.index(after: equals)...]))
    }
  }

  /// Parses the query of a URL, and keeps the original text of each item.
  init(ofURL text: Substring) {
    self.init(parsing: text)
    var rest = text.utf8[...]
    for index in items.indices {
      // Empty items stay with the one before them, those at the beginning with the first.
      let end = rest.drop { $0 == Self.separator }.firstIndex(of: Self.separator) ?? rest.endIndex
      let next = rest[end...].firstIndex { $0 != Self.separator } ?? rest.endIndex
      let last = next < rest.endIndex ? rest.index(before: next) : next
      items[index].spelling = Substring(rest[..<last])
      rest = rest[next...]
    }
  }

  /// The query for a URL: items that were parsed and not changed keep their bytes, the others are percent-encoded.
  var spelling: String { items.map { $0.spelling.map(String.init) ?? $0.encoded }.joined(separator: "&") }

  private static let separator = UInt8(ascii: "&")

  /// The first value with that name. Setting it replaces all of them, at the first one's place; setting nil removes them.
  public subscript(name: String) -> String? {
    get { items.first { $0.name == name }?.value }
    set {
      let place = items.firstIndex { $0.name == name } ?? items.endIndex
      items.removeAll { $0.name == name }
      if let newValue { items.insert(Item(name, newValue), at: min(place, items.endIndex)) }
    }
  }

  /// All values with that name, in order.
  public func values(_ name: String) -> [String?] {
    items.filter { $0.name == name }.map(\.value)
  }

  /// Removes all items with that name, and appends one for each value.
  public mutating func set(_ name: String, _ values: [String?]) {
    items.removeAll { $0.name == name }
    items += values.map { Item(name, $0) }
  }

  /// Appends an item.
  public mutating func add(_ name: String, _ value: String?) { items.append(Item(name, value)) }
}

extension QueryParameters: CustomStringConvertible {
  /// The percent-encoded text: `name=value&name=value`. Everything except the unreserved characters of RFC 3986 is escaped, `+`,
  /// `&` and `=` included; `[` and `]` in names and `,` in values are not, as servers expect.
  public var description: String { items.map(\.encoded).joined(separator: "&") }

  package static func encode(_ text: String, also: String = "") -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      case _ where also.utf8.contains(byte): encoded.append(byte)
      default: encoded += escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  package static func escape(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// Percent-decodes a text. An invalid escape is kept; bytes that are not UTF-8 become U+FFFD.
  package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") && plusIsSpace }) else {
      return String(text)
    }
    return String(decoding: decoded(text.utf8, plusIsSpace: plusIsSpace), as: UTF8.self)
  }

  /// Percent-decodes bytes. An invalid escape is kept.
  package static func decoded(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigitValue, let low = rest.dropFirst().first?.hexDigitValue {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return decoded
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
}

extension QueryParameters.Item {
  fileprivate var encoded: String {
    let name = QueryParameters.encode(name, also: "[]")
    return value.map { name + "=" + QueryParameters.encode($0, also: ",") } ?? name
  }
}

extension QueryParameters: ExpressibleByDictionaryLiteral {
  /// Names and values in order: text, numbers, Booleans and other ``ParameterValue`` types. A nil value makes an item without `=`.
  public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
    items = elements.map { Item($0.0, $0.1?.parameterText) }
  }
}
