public import FaradayCore

/// Reading JSON, by RFC 8259 and nothing beside it: one value, in UTF-8.
///
/// What the standard leaves open is decided so:
/// - A byte order mark at the beginning is skipped. Text in UTF-16 or UTF-32 is an error.
/// - Bytes that are not UTF-8 are an error, and so is an escaped surrogate without its other half: no text is changed in silence.
/// - Of members with the same name the last value counts, where the first one stood, as in JavaScript.
/// - A number may be of any size, and keeps its digits.
/// - Arrays and objects that stand in each other deeper than `maximumDepth` are an error.
///
/// It is one pass over the bytes, in time and memory in proportion to them, and needs no more stack for a deep text than for a
/// flat one. A value that is deep takes stack when it goes away, some 200 bytes a level: 512 levels are no burden for a thread
/// that has 512 KiB, and whoever allows for more should know of the threads that the values meet.
extension JSONValue {
  /// Reads JSON in UTF-8. Throws ``MalformedJSON``.
  public init(data: Data, maximumDepth: Int = JSONValue.standardMaximumDepth) throws(MalformedJSON) {
    try self.init(bytes: data.span.bytes, maximumDepth: maximumDepth)
  }

  /// Reads JSON. Throws ``MalformedJSON``.
  public init(text: String, maximumDepth: Int = JSONValue.standardMaximumDepth) throws(MalformedJSON) {
    var text = text
    self = try text.withUTF8 { JSONParser.parse($0, maximumDepth: maximumDepth) }.get()
  }

  /// Reads JSON in UTF-8 where it lies, such as a line of a stream. Throws ``MalformedJSON``.
  public init(bytes: RawSpan, maximumDepth: Int = JSONValue.standardMaximumDepth) throws(MalformedJSON) {
    self = try bytes.withUnsafeBytes { bytes in
      JSONParser.parse(bytes.bindMemory(to: UInt8.self), maximumDepth: maximumDepth)
    }.get()
  }

  /// How deep arrays and objects may stand in each other unless it is said: 512.
  public static let standardMaximumDepth = 512
}
