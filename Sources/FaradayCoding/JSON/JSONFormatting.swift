public import FaradayCore

/// How a ``JSONValue`` is written: on one line without spaces unless said otherwise.
public struct JSONFormatting: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Each member and element on a line of its own, two spaces a level.
  public static let pretty = JSONFormatting(rawValue: 1)
  /// Members in the order of the bytes of their names; otherwise they stand as they were put in.
  public static let sortedKeys = JSONFormatting(rawValue: 2)

  init(_ formatting: JSONEncoder.OutputFormatting) {
    self = []
    if formatting.contains(.prettyPrinted) { insert(.pretty) }
    if formatting.contains(.sortedKeys) { insert(.sortedKeys) }
  }
}

extension JSONValue {
  /// Writes it as JSON in UTF-8. Numbers stand as they were read. What need not be escaped is not: of ASCII, only quotes,
  /// backslashes and control characters are.
  ///
  /// It needs no more stack for a deep value than for a flat one. Throws an `EncodingError` for a number that is not finite.
  public func data(_ formatting: JSONFormatting = []) throws -> Data { Data(try JSONWriter.write(self, formatting)) }

  /// Writes it as JSON, as ``data(_:)`` does.
  public func text(_ formatting: JSONFormatting = []) throws -> String {
    String(decoding: try JSONWriter.write(self, formatting), as: UTF8.self)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The JSON on one line; it shows all there is.
  public var description: String { (try? text()) ?? "(a number in it is not finite)" }
}

extension JSONEncoder {
  /// A value as JSON. Untyped JSON is written by its own writer, for which the formatting of this encoder counts and nothing else:
  /// its names and numbers stand as they are.
  package func data(of value: some Encodable) throws -> Data {
    if let json = value as? JSONValue { return try json.data(JSONFormatting(outputFormatting)) }
    return try encode(value)
  }
}
