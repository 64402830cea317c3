/// Untyped JSON: any JSON value (RFC 8259), for bodies and responses without a specific Swift type.
///
///     let body: JSONValue = ["name": name, "tags": ["a", "b"], "age": 36, "nick": nil]
///     let name = try await response.json()["items"]?[0]?["name"]?.string
///
/// ``init(data:maximumDepth:rejectsDuplicateNames:)`` parses a value. ``data(_:)`` and ``text(_:)`` serialize it. All keep the
/// order of members and the digits of numbers.
///
/// The elements of a literal are ``JSONConvertible``. A nested object with values of several types needs its type:
/// `["name": name, "address": ["zip": zip, "city": city] as JSONValue]`.
///
/// Two values are equal if their numbers have equal values (`1.0` is `1`) and their members are equal in any order.
public enum JSONValue: Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number, with all its digits.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, its members in order.
  case object(JSONObject)
}

extension JSONValue {
  /// An integer of any size.
  public static func int(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

  /// A number with the fewest digits that parse to the same `Double`. NaN and infinities throw when they are serialized.
  public static func double(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }

  /// Whether the value is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The Boolean; nil if the value has another type.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number with all its digits; nil if the value has another type.
  public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
  /// The number as an `Int64`; nil if the value is not integral, is out of range, or has another type.
  public var int: Int64? { number?.int64 }
  /// The nearest `Double`; nil if the value is too large for a `Double`, or has another type.
  public var double: Double? { number?.double }
  /// The string; nil if the value has another type.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The elements of an array; nil if the value has another type.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The members of an object; nil if the value has another type.
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

  /// The member of an object; nil if there is no such member, or the value has another type.
  public subscript(key: String) -> JSONValue? { object?[key] }

  /// The element of an array; nil if the index is out of range, or the value has another type.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let array) = self, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  /// Elements that are ``JSONConvertible``, variables included; nil is null.
  public init(arrayLiteral elements: (any JSONConvertible)?...) { self = .array(elements.map { $0?.jsonValue ?? .null }) }
  /// Members that are ``JSONConvertible``, variables included; nil is null. For duplicate names the last value wins.
  public init(dictionaryLiteral elements: (String, (any JSONConvertible)?)...) { self = .object(JSONObject(literal: elements)) }
}
