/// Reads one JSON text (RFC 8259), in one pass over its bytes and without calling itself.
///
/// Finished values wait on a stack of their own until the bracket behind them makes one of them.
struct JSONParser: ~Copyable {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset = 0
  /// What the escapes of a string are written to.
  var scratch: [UInt8] = []
  var names = KnownNames()

  private let maximumDepth: Int
  private var values = MovingStack<JSONValue>()
  private var keys = MovingStack<String>()
  private var frames: [Frame] = []

  /// An array or object that is not closed yet.
  private struct Frame {
    /// How many values wait that are not in it.
    let start: Int
    /// How many names wait that are not in it.
    let firstKey: Int
    let isObject: Bool
    /// Which names are in it, as ``KnownNames`` has them: a bit that is set twice may be a name that is there twice.
    var names: UInt64 = 0
    var repeatsName = false
  }

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) -> Result<JSONValue, MalformedJSON> {
    var parser = JSONParser(bytes: bytes, maximumDepth: maximumDepth)
    do throws(MalformedJSON) { return .success(try parser.parse()) } catch { return .failure(error) }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  private mutating func parse() throws(MalformedJSON) -> JSONValue {
    while true {
      guard var value = try begin() else { continue }
      // A value may be the last one of many brackets.
      while true {
        guard let frame = frames.last else { return try finish(value) }
        values.push(value)
        guard let closed = try separate(in: frame) else { break }
        value = closed
      }
    }
  }

  /// Reads a value that is whole, or steps into one that is not; then the next one is to be begun.
  private mutating func begin() throws(MalformedJSON) -> JSONValue? {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    switch bytes[offset] {
    case UInt8(ascii: "\""):
      offset += 1
      return .string(try string())
    case UInt8(ascii: "{"):
      try open(isObject: true)
      guard !skip(UInt8(ascii: "}")) else { return close() }
      try key()
      return nil
    case UInt8(ascii: "["):
      try open(isObject: false)
      guard !skip(UInt8(ascii: "]")) else { return close() }
      return nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw fail(.noValue)
    }
  }

  /// Behind a value: the array or object, if it ends here; otherwise what stands before its next value is read.
  private mutating func separate(in frame: Frame) throws(MalformedJSON) -> JSONValue? {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    switch bytes[offset] {
    case UInt8(ascii: ","):
      offset += 1
      if frame.isObject { try key() }
      return nil
    case UInt8(ascii: "}") where frame.isObject, UInt8(ascii: "]") where !frame.isObject:
      offset += 1
      return close()
    default: throw fail(.noComma)
    }
  }

  private mutating func open(isObject: Bool) throws(MalformedJSON) {
    guard frames.count < maximumDepth else { throw fail(.tooDeep(limit: maximumDepth)) }
    frames.append(Frame(start: values.count, firstKey: keys.count, isObject: isObject))
    offset += 1
    skipBlanks()
  }

  private mutating func close() -> JSONValue {
    let frame = frames.removeLast()
    guard frame.isObject else { return .array(values.popAll(from: frame.start)) }
    let members = keys.popAll(pairedWith: &values, from: frame.start, JSONObject.Member.init)
    return .object(JSONObject(reading: members, repeatsName: frame.repeatsName))
  }

  /// A name and its colon.
  private mutating func key() throws(MalformedJSON) {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    guard skip(UInt8(ascii: "\"")) else { throw fail(.noName) }
    let (name, bits) = try name()
    let last = frames.count &- 1
    if frames[last].names & bits != 0, !frames[last].repeatsName {
      // Those of many members are told apart later.
      let isOneOfFew = keys.count - frames[last].firstKey <= JSONObject.many
      frames[last].repeatsName = isOneOfFew && keys.contains(from: frames[last].firstKey) { $0.hasSameBytes(as: name) }
    }
    frames[last].names |= bits
    keys.push(name)
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    guard skip(UInt8(ascii: ":")) else { throw fail(.noColon) }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(MalformedJSON) -> JSONValue {
    let end = offset + word.utf8CodeUnitCount
    for place in offset..<end {
      guard place < bytes.count else { throw fail(.unexpectedEnd, at: place) }
      guard bytes[place] == word.utf8Start[place - offset] else { throw fail(.noValue) }
    }
    offset = end
    return value
  }

  private mutating func finish(_ value: JSONValue) throws(MalformedJSON) -> JSONValue {
    skipBlanks()
    guard offset == bytes.count else { throw fail(.noEnd) }
    return value
  }

  @inline(__always)
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  @inline(__always)
  private mutating func skipBlanks() {
    // Most often there are none.
    guard offset < bytes.count, bytes[offset] <= 0x20 else { return }
    var place = offset
    while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x0A || bytes[place] == 0x0D || bytes[place] == 0x09 {
      place &+= 1
    }
    offset = place
  }

  func fail(_ reason: MalformedJSON.Reason, at place: Int? = nil) -> MalformedJSON {
    MalformedJSON(reason, at: place ?? offset, in: bytes)
  }
}
