public import FaradayCore

/// The formatting options of a serialized ``JSONValue``. Without options it is one line without whitespace.
public struct JSONFormatting: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: Int

  /// Options from their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Each member and element on a separate line, indented by two spaces per level.
  public static let prettyPrinted = JSONFormatting(rawValue: 1)
  /// Members sorted by the UTF-8 bytes of their names; otherwise they keep their order.
  public static let sortedKeys = JSONFormatting(rawValue: 2)

  init(_ formatting: JSONEncoder.OutputFormatting) {
    self = []
    if formatting.contains(.prettyPrinted) { insert(.prettyPrinted) }
    if formatting.contains(.sortedKeys) { insert(.sortedKeys) }
  }
}

extension JSONValue {
  /// Serializes as JSON in UTF-8. Numbers keep their digits. Only quotes, backslashes and ASCII control characters are escaped.
  ///
  /// Not recursive: deep values need no more stack than flat values. Throws an `EncodingError` for a number that is not finite.
  public func data(_ formatting: JSONFormatting = []) throws -> Data { Data(try JSONWriter.write(self, formatting)) }

  /// Serializes as a JSON string, like ``data(_:)``.
  public func text(_ formatting: JSONFormatting = []) throws -> String {
    String(decoding: try JSONWriter.write(self, formatting), as: UTF8.self)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The JSON on one line, with all its values.
  public var description: String { (try? text()) ?? "(a number in it is not finite)" }
}

extension JSONEncoder {
  /// Encodes a value as JSON. A ``FaradayCoding/JSONValue`` has a separate writer, which uses only `outputFormatting` of this
  /// encoder.
  package func data(of value: some Encodable) throws -> Data {
    if let json = value as? JSONValue { return try json.data(JSONFormatting(outputFormatting)) }
    return try encode(value)
  }
}
