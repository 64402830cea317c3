public import FaradayCore

/// A strict parser for JSON (RFC 8259): one value, in UTF-8.
///
/// Choices that the RFC leaves to parsers:
/// - A byte order mark at the beginning is skipped. UTF-16 and UTF-32 are an error.
/// - Invalid UTF-8 is an error, and so is an unpaired surrogate escape: no text is changed silently.
/// - For duplicate member names the first member counts, as in Foundation's `JSONDecoder`, so that untyped JSON and a decoded
///   type have the same value (section 4 leaves this open). With `rejectsDuplicateNames` they are an error. Names are compared
///   by their bytes, after their escapes are decoded.
/// - Numbers may be of any size, and keep their digits.
/// - Nesting deeper than `maximumDepth` is an error.
///
/// The parser is iterative, makes one pass over the bytes, and takes linear time and memory. Releasing a deeply nested value
/// takes about 200 bytes of stack per level: 512 levels are safe on a thread with 512 KiB. Before you raise the limit, consider
/// the stacks of the threads that release values.
extension JSONValue {
  /// Parses JSON in UTF-8. Throws ``JSONError``.
  public init(
    data: Data, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) throws(JSONError) {
    try self.init(bytes: data.span.bytes, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
  }

  /// Parses a JSON string. Throws ``JSONError``.
  public init(
    text: String, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) throws(JSONError) {
    var text = text
    self = try text.withUTF8 {
      JSONParser.parse($0, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
    }.get()
  }

  /// Parses JSON in UTF-8 in place, such as a line of a stream. Throws ``JSONError``.
  public init(
    bytes: RawSpan, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) throws(JSONError) {
    self = try bytes.withUnsafeBytes { bytes in
      JSONParser.parse(
        bytes.bindMemory(to: UInt8.self), maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
    }.get()
  }

  /// The default maximum nesting of arrays and objects: 512.
  public static let standardMaximumDepth = 512
}
