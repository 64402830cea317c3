/// A value that a path or a query can hold: text, a number, a Boolean, a `UUID`, or a type of your own.
///
///     enum Sort: String, ParameterValue { case name, date }
///     try await connection.get("users/{id}", path: ["id": user.id], query: ["sort": Sort.name, "page": 2])
///
/// A type that is `CustomStringConvertible`, or an `enum` of such values, needs to declare no more than the conformance.
public protocol ParameterValue: Sendable {
  /// The value as text, before any percent-encoding.
  var parameterText: String { get }
}

extension ParameterValue where Self: CustomStringConvertible {
  public var parameterText: String { description }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
  public var parameterText: String { rawValue.parameterText }
}

extension ParameterValue where Self: RawRepresentable & CustomStringConvertible, RawValue: ParameterValue {
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
