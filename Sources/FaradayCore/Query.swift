/// The items of a query or a form, in order, repeated names kept.
///
///     request.query = ["sort": "name", "tag": "a", "tag": "b", "verbose": nil]     // ?sort=name&tag=a&tag=b&verbose
///     request.query["page"] = "2"
public struct Query: Sendable, Hashable {
  public struct Item: Sendable, Hashable {
    public var name: String
    /// Nil where there is no `=`.
    public var value: String?

    public init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }

  public var items: [Item]

  public init(_ items: [Item] = []) { self.items = items }

  /// Reads a query or a form. An escape that is none stands for itself.
  ///
  /// - Parameter plusIsSpace: as in forms; in a URL a plus is a plus (RFC 3986).
  public init(parsing text: some StringProtocol, plusIsSpace: Bool = false) {
    let decode = { (text: Substring) in
      let text = plusIsSpace ? text.replacing("+", with: " ")[...] : text
      return Query.decode(text)
    }
    items = text.split(separator: "&").map { item in
      let item = Substring(item)
      guard let equals = item.firstIndex(of: "=") else { return Item(decode(item), nil) }
      return Item(decode(item[..<equals]), decode(item[item.index(after: equals)...]))
    }
  }

  /// The first value of that name. Setting it replaces all of them where the first stood; nil removes them.
  public subscript(name: String) -> String? {
    get { items.first { $0.name == name }?.value }
    set {
      let place = items.firstIndex { $0.name == name } ?? items.endIndex
      items.removeAll { $0.name == name }
      if let newValue { items.insert(Item(name, newValue), at: min(place, items.endIndex)) }
    }
  }

  /// All values of that name, in order.
  public func values(_ name: String) -> [String?] {
    items.filter { $0.name == name }.map(\.value)
  }

  /// Takes every item of that name away, and puts one for each value behind the rest.
  public mutating func set(_ name: String, _ values: [String?]) {
    items.removeAll { $0.name == name }
    items += values.map { Item(name, $0) }
  }

  /// Puts an item behind the others.
  public mutating func add(_ name: String, _ value: String?) { items.append(Item(name, value)) }
}

extension Query: CustomStringConvertible {
  /// Percent-encoded: all but the unreserved characters of RFC 3986, so that `+`, `&` and `=` are what they were on the other
  /// side. `[` and `]` in names and `,` in values stand as they are, which servers expect.
  public var description: String {
    items.map { item in
      let name = Self.encode(item.name, also: "[]")
      return item.value.map { name + "=" + Self.encode($0, also: ",") } ?? name
    }.joined(separator: "&")
  }

  package static func encode(_ text: String, also: String = "") -> String {
    let kept = Set(also.utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      case _ where kept.contains(byte): encoded.append(byte)
      default: encoded += escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  static func escape(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// An escape that is none stands for itself; bytes that are not UTF-8 become U+FFFD.
  package static func decode(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var decoded: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let value = byte == UInt8(ascii: "%") ? UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) : nil
      guard let value, rest.count >= 2, rest.first.map(isHexDigit) == true else {
        decoded.append(byte)
        continue
      }
      decoded.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// A sign is no digit, though `UInt8` reads it.
  private static func isHexDigit(_ byte: UInt8) -> Bool { Character(UnicodeScalar(byte)).isHexDigit }

  private static let digits = Array("0123456789ABCDEF".utf8)
}

extension Query: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, String?)...) {
    items = elements.map { Item($0.0, $0.1) }
  }
}
