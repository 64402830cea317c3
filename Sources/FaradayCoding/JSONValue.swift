/// A JSON value without a Swift type of its own: what an untyped body is made of, and what an unknown response is read into.
///
///     let body: JSONValue = ["name": "Ada", "tags": ["a", "b"], "age": 36, "nick": nil]
///     response.json?["items"]?[0]?["name"]?.string
///
/// Numbers are `Int64` where they are whole and fit, `Double` elsewhere. What is decoded has its members in no order; and
/// decoding it is several times slower than decoding a type, as every value is a guess.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// The members of a JSON object, in the order they were put in.
public struct JSONObject: Sendable, Hashable {
  /// The names, in order.
  public private(set) var keys: [String] = []
  private var values: [String: JSONValue] = [:]

  public init() {}

  /// The value of a member. Setting it to nil takes the member away; to have a null, set ``JSONValue/null``.
  public subscript(key: String) -> JSONValue? {
    get { values[key] }
    set {
      let isNew = values[key] == nil
      values[key] = newValue
      if newValue == nil { keys.removeAll { $0 == key } } else if isNew { keys.append(key) }
    }
  }

  /// In whatever order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool { left.values == right.values }
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension JSONObject: Sequence {
  public func makeIterator() -> some IteratorProtocol<(key: String, value: JSONValue)> {
    keys.lazy.map { (key: $0, value: values[$0] ?? .null) }.makeIterator()
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Of a name that stands there twice the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue {
  public var isNull: Bool { self == .null }
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var int: Int64? { if case .int(let value) = self { value } else { nil } }
  /// A whole number too.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(value)
    default: nil
    }
  }
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  /// The member of an object; nil if there is none, or this is no object.
  public subscript(key: String) -> JSONValue? { object?[key] }
  /// The element of an array; nil if there is none, or this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    // A guess that is wrong costs an error, which is dear: the most frequent come first.
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let container = try? decoder.container(keyedBy: Member.self) {
      var object = JSONObject()
      for key in container.allKeys { object[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !container.isAtEnd { array.append(try container.decode(JSONValue.self)) }
      self = .array(array)
    } else if let value = try? single.decode(Int64.self) {
      self = .int(value)
    } else {
      self = .double(try single.decode(Double.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .int(let value): try value.encode(to: encoder)
    case .double(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .object(let object):
      var container = encoder.container(keyedBy: Member.self)
      for (key, value) in object { try container.encode(value, forKey: Member(stringValue: key)) }
    }
  }

  private struct Member: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
