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
  /// The innermost array or object that is not closed yet, and those it is in.
  private var frame = Frame(start: 0, firstKey: 0, isObject: false)
  private var outer = MovingStack<Frame>()

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
    repeat {
      guard try begin() else { continue }
      // A value may be the last one of many brackets.
      while outer.count > 0, try end() {}
    } while outer.count > 0
    skipBlanks()
    guard offset == bytes.count else { throw fail(.noEnd) }
    return values.pop()
  }

  /// Reads a value that is whole, and says so, or steps into one that is not; then the next one is to be begun.
  private mutating func begin() throws(MalformedJSON) -> Bool {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    switch bytes[offset] {
    case UInt8(ascii: "\""):
      offset += 1
      values.push(.string(try string()))
    case UInt8(ascii: "{"):
      try open(isObject: true)
      guard skip(UInt8(ascii: "}")) else {
        try key()
        return false
      }
      close()
    case UInt8(ascii: "["):
      try open(isObject: false)
      guard skip(UInt8(ascii: "]")) else { return false }
      close()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): values.push(.number(try number()))
    case UInt8(ascii: "t"): try word("true", .bool(true))
    case UInt8(ascii: "f"): try word("false", .bool(false))
    case UInt8(ascii: "n"): try word("null", .null)
    default: throw fail(.noValue)
    }
    return true
  }

  /// Behind a value: whether the array or object ends here, which is a value again; otherwise what stands before its next value is
  /// read.
  private mutating func end() throws(MalformedJSON) -> Bool {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    switch bytes[offset] {
    case UInt8(ascii: ","):
      offset += 1
      if frame.isObject { try key() }
      return false
    case UInt8(ascii: "}") where frame.isObject, UInt8(ascii: "]") where !frame.isObject:
      offset += 1
      close()
      return true
    default: throw fail(.noComma)
    }
  }

  private mutating func open(isObject: Bool) throws(MalformedJSON) {
    guard outer.count < maximumDepth else { throw fail(.tooDeep(limit: maximumDepth)) }
    outer.push(frame)
    frame = Frame(start: values.count, firstKey: keys.count, isObject: isObject)
    offset += 1
    skipBlanks()
  }

  private mutating func close() {
    if frame.isObject {
      let members = keys.popAll(pairedWith: &values, from: frame.start, JSONObject.Member.init)
      values.push(.object(JSONObject(reading: members, repeatsName: frame.repeatsName)))
    } else {
      values.push(.array(values.popAll(from: frame.start)))
    }
    frame = outer.pop()
  }

  /// A name and its colon.
  private mutating func key() throws(MalformedJSON) {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    guard skip(UInt8(ascii: "\"")) else { throw fail(.noName) }
    let (name, bits) = try name()
    if frame.names & bits != 0, !frame.repeatsName {
      // Those of many members are told apart later.
      let isOneOfFew = keys.count - frame.firstKey <= JSONObject.many
      frame.repeatsName = isOneOfFew && keys.contains(from: frame.firstKey) { $0.hasSameBytes(as: name) }
    }
    frame.names |= bits
    keys.push(name)
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    guard skip(UInt8(ascii: ":")) else { throw fail(.noColon) }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(MalformedJSON) {
    for place in 0..<word.utf8CodeUnitCount {
      guard offset + place < bytes.count else { throw fail(.unexpectedEnd, at: offset + place) }
      guard bytes[offset + place] == word.utf8Start[place] else { throw fail(.noValue) }
    }
    offset += word.utf8CodeUnitCount
    values.push(value)
  }

  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
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
