/// An iterative serializer for one JSON value.
struct JSONWriter {
  private var output: [UInt8] = []
  private var frames: [Frame] = []
  private let isPretty: Bool
  private let isSorted: Bool

  /// An array or object that is partly written.
  private struct Frame {
    let content: Content
    var next = 0

    enum Content {
      case elements([JSONValue])
      case members([JSONObject.Member])
    }

    var isDone: Bool {
      switch content {
      case .elements(let elements): next == elements.count
      case .members(let members): next == members.count
      }
    }

    var closing: StaticString {
      switch content {
      case .elements: "]"
      case .members: "}"
      }
    }
  }

  static func write(_ value: JSONValue, _ formatting: JSONFormatting) throws(EncodingError) -> [UInt8] {
    var writer = JSONWriter(isPretty: formatting.contains(.prettyPrinted), isSorted: formatting.contains(.sortedKeys))
    try writer.begin(value)
    while !writer.frames.isEmpty { try writer.step() }
    return writer.output
  }

  private init(isPretty: Bool, isSorted: Bool) {
    self.isPretty = isPretty
    self.isSorted = isSorted
  }

  /// Writes a complete value, or opens an array or object.
  private mutating func begin(_ value: JSONValue) throws(EncodingError) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .number(let number):
      guard number.isFinite else { throw .invalid(number, at: path, "\(number) is not a number that JSON can represent") }
      output.append(contentsOf: number.literal.utf8)
    case .string(let text): append(quoting: text)
    case .array([]): append("[]")
    case .array(let elements):
      append("[")
      frames.append(Frame(content: .elements(elements)))
    case .object(let object) where object.isEmpty: append("{}")
    case .object(let object):
      append("{")
      let members = object.members
      // Sorted by UTF-8 bytes, independently of locale and Unicode version.
      let sorted = isSorted ? members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : members
      frames.append(Frame(content: .members(sorted)))
    }
  }

  /// Writes the next value of the innermost array or object, or closes it.
  private mutating func step() throws(EncodingError) {
    let last = frames.count - 1
    let frame = frames[last]
    guard !frame.isDone else {
      frames.removeLast()
      newLine()
      return append(frame.closing)
    }
    if frame.next > 0 { append(",") }
    newLine()
    frames[last].next += 1
    switch frame.content {
    case .elements(let elements): try begin(elements[frame.next])
    case .members(let members):
      append(quoting: members[frame.next].key)
      append(isPretty ? ": " : ":")
      try begin(members[frame.next].value)
    }
  }

  private mutating func newLine() {
    guard isPretty else { return }
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: 2 * frames.count))
  }

  private mutating func append(_ text: StaticString) {
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(quoting text: String) {
    output.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      var plain = 0
      for (place, byte) in bytes.enumerated() {
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<place]))
        appendEscape(of: byte)
        plain = place + 1
      }
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain...]))
    }
    output.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(of byte: UInt8) {
    switch byte {
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case 0x00..<0x20:
      append("\\u00")
      for digit in [byte >> 4, byte & 0xF] { output.append(contentsOf: String(digit, radix: 16).utf8) }
    default:
      output.append(UInt8(ascii: "\\"))
      output.append(byte)
    }
  }

  /// The coding path of the value that is being written.
  private var path: [any CodingKey] {
    frames.map { frame in
      switch frame.content {
      case .elements: IndexKey(frame.next - 1)
      case .members(let members): JSONKey(stringValue: members[frame.next - 1].key)
      }
    }
  }
}
