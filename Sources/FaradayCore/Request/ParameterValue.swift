/// A value for a path variable, query item or form field: text, a number, a Boolean, a `UUID`, or a custom type.
///
///     enum Sort: String, ParameterValue { case name, date }
///     try await connection.get("users/{id}", variables: ["id": user.id], query: ["sort": Sort.name, "page": 2])
///
/// A `CustomStringConvertible` type, or an `enum` whose raw value is a `ParameterValue`, only needs to declare the conformance.
public protocol ParameterValue: Sendable {
  /// The value as text, not percent-encoded.
  var parameterText: String { get }
}

extension ParameterValue where Self: CustomStringConvertible {
  /// The `description`.
  public var parameterText: String { description }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
  /// The text of the raw value.
  public var parameterText: String { rawValue.parameterText }
}

extension ParameterValue where Self: RawRepresentable & CustomStringConvertible, RawValue: ParameterValue {
  /// The text of the raw value, not the `description`.
  public var parameterText: String { rawValue.parameterText }
}

extension String: ParameterValue {}
extension Substring: ParameterValue {}
/// `true` or `false`.
extension Bool: ParameterValue {}
extension Int: ParameterValue {}
extension Int8: ParameterValue {}
extension Int16: ParameterValue {}
extension Int32: ParameterValue {}
extension Int64: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt8: ParameterValue {}
extension UInt16: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}
extension Float: ParameterValue {}
extension Double: ParameterValue {}
extension UUID: ParameterValue {}
