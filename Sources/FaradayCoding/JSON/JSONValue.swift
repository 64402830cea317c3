/// A JSON value without a Swift type of its own (RFC 8259): what an untyped body is made of, and what an unknown response is
/// read into.
///
///     let body: JSONValue = ["name": name, "tags": ["a", "b"], "age": 36, "nick": nil]
///     response.json?["items"]?[0]?["name"]?.string
///
/// It is read by ``init(data:maximumDepth:)``, which is a parser of its own, and written by ``data(_:)`` and ``text(_:)``. Both
/// keep the order of members and the digits of numbers.
///
/// What stands in a literal is ``JSONConvertible``. An object within one that has values of several types needs its type said, as in
/// `["name": name, "address": ["zip": zip, "city": city] as JSONValue]`.
///
/// Two are equal if they say the same: numbers by their value (`1.0` is `1`), members in whatever order.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// A whole number, however large.
  public static func int(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

  /// A number in the fewest digits that give this `Double` back. One that is not finite cannot be written.
  public static func double(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }

  /// Whether it is null.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The Boolean; nil if it is none.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number with all its digits.
  public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
  /// The number if it is whole, however it is written, and fits; otherwise nil.
  public var int: Int64? { number?.int64 }
  /// The `Double` next to the number; nil if it is too large for one.
  public var double: Double? { number?.double }
  /// The string; nil if it is none.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The elements of an array; nil if it is none.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The members of an object; nil if it is none.
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

  /// The member of an object; nil if there is none, or this is no object.
  public subscript(key: String) -> JSONValue? { object?[key] }

  /// The element of an array; nil if there is none, or this is no array.
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
  /// Elements that are ``JSONConvertible``, variables too; nil is null.
  public init(arrayLiteral elements: (any JSONConvertible)?...) { self = .array(elements.map { $0?.jsonValue ?? .null }) }
  /// Members that are ``JSONConvertible``, variables too; nil is null. Of a name that stands there twice the last value counts.
  public init(dictionaryLiteral elements: (String, (any JSONConvertible)?)...) { self = .object(JSONObject(literal: elements)) }
}
