/// A value that may stand in a literal of untyped JSON: a string, a Boolean, a number, untyped JSON, and lists and dictionaries of
/// these.
///
///     let body: JSONValue = ["name": name, "age": age, "nick": nick, "tags": tags, "address": ["zip": zip, "city": city] as JSONValue]
///
/// A type of yours is one if it says how it is written. The members of a literal keep their order. A literal within one is Swift's
/// own list or dictionary, unless `as JSONValue` stands behind it: members in the order of their names, numbers of one type (`[1, 2.5]`
/// are `Double`s), and a name that is there twice ends the process.
public protocol JSONConvertible: Sendable {
  /// The value as JSON.
  var jsonValue: JSONValue { get }
}

extension JSONValue: JSONConvertible {
  public var jsonValue: JSONValue { self }
}

extension JSONObject: JSONConvertible {
  public var jsonValue: JSONValue { .object(self) }
}

extension JSONNumber: JSONConvertible {
  public var jsonValue: JSONValue { .number(self) }
}

extension String: JSONConvertible {
  public var jsonValue: JSONValue { .string(self) }
}

extension Substring: JSONConvertible {
  public var jsonValue: JSONValue { .string(String(self)) }
}

extension Bool: JSONConvertible {
  public var jsonValue: JSONValue { .bool(self) }
}

/// One that is not finite cannot be written, and is an error there.
extension Double: JSONConvertible {
  public var jsonValue: JSONValue { .double(self) }
}

extension JSONConvertible where Self: BinaryInteger {
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

/// Null for nil.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  public var jsonValue: JSONValue { self?.jsonValue ?? .null }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  public var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

/// The members stand in the order of their names.
extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
  public var jsonValue: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, $0.value.jsonValue) }))
  }
}
