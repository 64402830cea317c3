/// A value for a path variable, query item or form field: text, a number, a Boolean, a `UUID`, an array of these, or a custom
/// type.
///
///     enum Sort: String, ParameterValue { case name, date }
///     try await connection.get("users/{id}", variables: ["id": user.id], query: ["sort": Sort.name, "page": 2])
///
/// A `CustomStringConvertible` type, or an `enum` whose raw value is a `ParameterValue`, only needs to declare the conformance.
/// An array is one query item for each element: `["tag": ["a", "b"]]` is `tag=a&tag=b`. In a path it is one segment, its elements
/// separated by percent-encoded commas.
public protocol ParameterValue: Sendable {
  /// The value as text, not percent-encoded.
  var parameterText: String { get }
  /// The values of the query items or form fields that have the name. By default the ``parameterText`` alone.
  var parameterTexts: [String] { get }
}

extension ParameterValue {
  /// The ``parameterText`` alone.
  public var parameterTexts: [String] { [parameterText] }
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

extension Array: ParameterValue where Element: ParameterValue {
  /// The texts of the elements, separated by commas.
  public var parameterText: String { parameterTexts.joined(separator: ",") }
  /// The texts of the elements, in order.
  public var parameterTexts: [String] { flatMap(\.parameterTexts) }
}
