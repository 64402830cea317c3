public import FaradayCore

/// Parsing JSON, strictly by RFC 8259: one value, in UTF-8.
///
/// Where the RFC leaves a choice:
/// - A byte order mark at the beginning is skipped. UTF-16 and UTF-32 are an error.
/// - Invalid UTF-8 is an error, and so is an unpaired surrogate escape: no text is changed silently.
/// - Of duplicate member names the first counts, as with Foundation's `JSONDecoder`, so that untyped JSON and a decoded type have
///   the same value (section 4 leaves it open). With `rejectsDuplicateNames` they are an error: names are compared after their
///   escapes are decoded, by their bytes.
/// - Numbers may be of any size, and keep their digits.
/// - Nesting deeper than `maximumDepth` is an error.
///
/// The parser is iterative, makes one pass over the bytes, and takes linear time and memory. Releasing a deeply nested value
/// takes some 200 bytes of stack a level: 512 levels are safe on a thread with 512 KiB; think of the threads that release the
/// values before raising the limit.
extension JSONValue {
  /// Parses JSON in UTF-8. Throws ``MalformedJSON``.
  public init(
    data: Data, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) throws(MalformedJSON) {
    try self.init(bytes: data.span.bytes, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
  }

  /// Parses a JSON string. Throws ``MalformedJSON``.
  public init(
    text: String, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) throws(MalformedJSON) {
    var text = text
    self = try text.withUTF8 {
      JSONParser.parse($0, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
    }.get()
  }

  /// Parses JSON in UTF-8 in place, such as a line of a stream. Throws ``MalformedJSON``.
  public init(
    bytes: RawSpan, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) throws(MalformedJSON) {
    self = try bytes.withUnsafeBytes { bytes in
      JSONParser.parse(
        bytes.bindMemory(to: UInt8.self), maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
    }.get()
  }

  /// The default maximum nesting of arrays and objects: 512.
  public static let standardMaximumDepth = 512
}
