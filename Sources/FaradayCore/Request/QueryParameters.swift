/// The parameters of a URL query or a form (`application/x-www-form-urlencoded`): names and values in order, including repeated
/// names.
///
///     request.query = ["sort": sort, "tag": ["a", "b"], "page": 2, "verbose": nil]  // ?sort=name&tag=a&tag=b&page=2&verbose
///     request.query["page"] = "2"
public struct QueryParameters: Sendable, Hashable {
  /// A decoded name and its value. Equality ignores the original percent-encoding.
  public struct Item: Sendable, Hashable {
    /// The name, decoded.
    public var name: String { didSet { spelling = nil } }
    /// The value, decoded; nil for an item without `=`.
    public var value: String? { didSet { spelling = nil } }
    /// The original text in the parsed URL, with adjacent empty items; nil if the item was created or changed.
    fileprivate var spelling: Substring?

    /// An item. With a nil value it has no `=`.
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

  /// Parses a query or a form. An invalid percent-escape is kept unchanged.
  ///
  /// - Parameter plusIsSpace: whether `+` is decoded as a space, as in forms. In a URL it is a plus sign (RFC 3986).
  public init(parsing text: some StringProtocol, plusIsSpace: Bool = false) {
    let decode = { (bytes: Substring.UTF8View) in QueryParameters.decode(Substring(bytes), plusIsSpace: plusIsSpace) }
    // Byte by byte, as servers do: an `&` and a combining accent after it are one `Character`.
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
      // Empty items belong to the item before them, leading empty items to the first item.
      let end = rest.drop { $0 == Self.separator }.firstIndex(of: Self.separator) ?? rest.endIndex
      let next = rest[end...].firstIndex { $0 != Self.separator } ?? rest.endIndex
      let last = next < rest.endIndex ? rest.index(before: next) : next
      items[index].spelling = Substring(rest[..<last])
      rest = rest[next...]
    }
  }

  /// The query for a URL. Parsed items that were not changed keep their bytes. All other items are percent-encoded.
  var spelling: String { items.map { $0.spelling.map(String.init) ?? $0.encoded }.joined(separator: "&") }

  private static let separator = UInt8(ascii: "&")

  /// The first value with the name. Setting it replaces all values with the name, at the place of the first; setting nil
  /// removes them.
  public subscript(name: String) -> String? {
    get { items.first { $0.name == name }?.value }
    set {
      let place = items.firstIndex { $0.name == name } ?? items.endIndex
      items.removeAll { $0.name == name }
      if let newValue { items.insert(Item(name, newValue), at: min(place, items.endIndex)) }
    }
  }

  /// All values with the name, in order.
  public func values(_ name: String) -> [String?] {
    items.filter { $0.name == name }.map(\.value)
  }

  /// Removes all items with the name, and appends an item for each value.
  public mutating func set(name: String, values: [String?]) {
    items.removeAll { $0.name == name }
    items += values.map { Item(name, $0) }
  }

  /// Appends an item.
  public mutating func append(name: String, value: String?) { items.append(Item(name, value)) }
}

extension QueryParameters: CustomStringConvertible {
  /// The percent-encoded text: `name=value&name=value`. All characters except the unreserved characters of RFC 3986 are
  /// escaped, including `+`, `&` and `=`. `[` and `]` in names and `,` in values are not escaped, as servers expect.
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
    decoding(bytes, plusIsSpace: plusIsSpace).decoded
  }

  /// Percent-decodes bytes; nil if an escape is invalid.
  package static func strictlyDecoded(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
    let (decoded, isValid) = decoding(bytes, plusIsSpace: false)
    return isValid ? decoded : nil
  }

  private static func decoding(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) -> (decoded: [UInt8], isValid: Bool) {
    var decoded: [UInt8] = []
    var isValid = true
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigitValue, let low = rest.dropFirst().first?.hexDigitValue {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        if byte == UInt8(ascii: "%") { isValid = false }
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return (decoded, isValid)
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
  /// Names and values in order: text, numbers, Booleans and other ``ParameterValue`` types. An array makes an item for each
  /// element, and a nil value an item without `=`.
  public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
    items = elements.flatMap { name, value in value?.parameterTexts.map { Item(name, $0) } ?? [Item(name, nil)] }
  }
}
