/// A value that can be part of a ``JSONValue`` literal: a string, a Boolean, a number, untyped JSON, and arrays and
/// dictionaries of these.
///
///     let body: JSONValue = ["name": name, "age": age, "nick": nick, "tags": tags, "address": ["zip": zip, "city": city] as JSONValue]
///
/// Custom types can conform. The members of a literal keep their order. A nested literal is a Swift array or dictionary, unless
/// `as JSONValue` is appended: its members are sorted by name, its numbers are of one type (`[1, 2.5]` are `Double`s), and a
/// duplicate name traps, as in any Swift dictionary literal.
public protocol JSONConvertible: Sendable {
  /// The value as JSON.
  var jsonValue: JSONValue { get }
}

extension JSONValue: JSONConvertible {
  /// The value itself.
  public var jsonValue: JSONValue { self }
}

extension JSONObject: JSONConvertible {
  /// A JSON object.
  public var jsonValue: JSONValue { .object(self) }
}

extension JSONNumber: JSONConvertible {
  /// A JSON number.
  public var jsonValue: JSONValue { .number(self) }
}

extension String: JSONConvertible {
  /// A JSON string.
  public var jsonValue: JSONValue { .string(self) }
}

extension Substring: JSONConvertible {
  /// A JSON string.
  public var jsonValue: JSONValue { .string(String(self)) }
}

extension Bool: JSONConvertible {
  /// `true` or `false`.
  public var jsonValue: JSONValue { .bool(self) }
}

/// A number that is not finite throws when it is encoded.
extension Double: JSONConvertible {
  /// A JSON number, with the fewest digits that parse to the same `Double`.
  public var jsonValue: JSONValue { .double(self) }
}

extension JSONConvertible where Self: BinaryInteger {
  /// A JSON number.
  public var jsonValue: JSONValue { .int(self) }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}

/// `null` for nil.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  /// The wrapped value, or `null`.
  public var jsonValue: JSONValue { self?.jsonValue ?? .null }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  /// A JSON array.
  public var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

/// Members are sorted by name.
extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
  /// A JSON object, its members sorted by name.
  public var jsonValue: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, $0.value.jsonValue) }))
  }
}
