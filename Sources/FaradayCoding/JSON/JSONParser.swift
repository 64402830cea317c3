/// An iterative, single-pass parser for one JSON text (RFC 8259).
///
/// Finished values stay on an explicit stack until the closing bracket collects them in an array or object.
struct JSONParser: ~Copyable {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset = 0
  /// The buffer for strings with escapes.
  var scratch: [UInt8] = []
  var names = NameCache()

  private let maximumDepth: Int
  private let rejectsDuplicateNames: Bool
  /// The offsets of the names in `keys`, if duplicates are rejected.
  private var nameOffsets = MovingStack<Int>()
  private var values = MovingStack<JSONValue>()
  private var keys = MovingStack<String>()
  /// The innermost open array or object. The stack contains its open parents.
  private var frame = Frame(start: 0, firstKey: 0, isObject: false)
  private var outer = MovingStack<Frame>()

  /// An open array or object.
  private struct Frame {
    /// The number of values on the stack before the first element.
    let start: Int
    /// The number of names on the stack before the first name.
    let firstKey: Int
    let isObject: Bool
    /// The hash bits of the names, see ``NameCache``: setting a bit twice indicates a possible duplicate name.
    var names: UInt64 = 0
    var repeatsName = false
  }

  static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, rejectsDuplicateNames: Bool
  ) -> Result<JSONValue, JSONError> {
    var parser = JSONParser(bytes: bytes, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
    do throws(JSONError) { return .success(try parser.parse()) } catch { return .failure(error) }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, rejectsDuplicateNames: Bool) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.rejectsDuplicateNames = rejectsDuplicateNames
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  private mutating func parse() throws(JSONError) -> JSONValue {
    repeat {
      guard try begin() else { continue }
      // One value may be the last value of several nested arrays and objects.
      while outer.count > 0, try end() {}
    } while outer.count > 0
    skipBlanks()
    guard offset == bytes.count else { throw fail(.trailingContent) }
    return values.pop()
  }

  /// Parses a complete value and returns true, or opens an array or object and returns false.
  private mutating func begin() throws(JSONError) -> Bool {
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
      try close()
    case UInt8(ascii: "["):
      try open(isObject: false)
      guard skip(UInt8(ascii: "]")) else { return false }
      try close()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): values.push(.number(try number()))
    case UInt8(ascii: "t"): try word("true", .bool(true))
    case UInt8(ascii: "f"): try word("false", .bool(false))
    case UInt8(ascii: "n"): try word("null", .null)
    default: throw fail(.expectedValue)
    }
    return true
  }

  /// Parses the token after a value. Returns true for a closing bracket, which completes another value. Otherwise consumes the
  /// comma and the next name.
  private mutating func end() throws(JSONError) -> Bool {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    switch bytes[offset] {
    case UInt8(ascii: ","):
      offset += 1
      if frame.isObject { try key() }
      return false
    case UInt8(ascii: "}") where frame.isObject, UInt8(ascii: "]") where !frame.isObject:
      offset += 1
      try close()
      return true
    default: throw fail(.expectedComma)
    }
  }

  private mutating func open(isObject: Bool) throws(JSONError) {
    guard outer.count < maximumDepth else { throw fail(.tooDeep(limit: maximumDepth)) }
    outer.push(frame)
    frame = Frame(start: values.count, firstKey: keys.count, isObject: isObject)
    offset += 1
    skipBlanks()
  }

  private mutating func close() throws(JSONError) {
    if frame.isObject {
      let members = keys.popAll(pairedWith: &values, from: frame.start, JSONObject.Member.init)
      let object = JSONObject(reading: members, repeatsName: frame.repeatsName)
      if rejectsDuplicateNames { try checkNames(of: members, in: object) }
      values.push(.object(object))
    } else {
      values.push(.array(values.popAll(from: frame.start)))
    }
    frame = outer.pop()
  }

  /// Throws at the first duplicate name.
  private mutating func checkNames(of members: [JSONObject.Member], in object: JSONObject) throws(JSONError) {
    let offsets = nameOffsets.popAll(from: frame.firstKey)
    guard object.count < members.count else { return }
    // The object contains the members in order, without duplicates. The first difference is the first duplicate.
    let duplicate = members.indices.first {
      $0 == object.count || !members[$0].key.hasSameBytes(as: object.members[$0].key)
    }
    throw fail(.duplicateName, at: duplicate.map { offsets[$0] })
  }

  /// Parses a member name and its colon.
  private mutating func key() throws(JSONError) {
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    if rejectsDuplicateNames { nameOffsets.push(offset) }
    guard skip(UInt8(ascii: "\"")) else { throw fail(.expectedName) }
    let (name, bits) = try name()
    if frame.names & bits != 0, !frame.repeatsName {
      // Duplicates among many members are detected later.
      let isOneOfFew = keys.count - frame.firstKey <= JSONObject.many
      frame.repeatsName = isOneOfFew && keys.contains(from: frame.firstKey) { $0.hasSameBytes(as: name) }
    }
    frame.names |= bits
    keys.push(name)
    skipBlanks()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    guard skip(UInt8(ascii: ":")) else { throw fail(.expectedColon) }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) {
    for place in 0..<word.utf8CodeUnitCount {
      guard offset + place < bytes.count else { throw fail(.unexpectedEnd, at: offset + place) }
      guard bytes[offset + place] == word.utf8Start[place] else { throw fail(.expectedValue) }
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
    // The common case has no blanks.
    guard offset < bytes.count, bytes[offset] <= 0x20 else { return }
    var place = offset
    while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x0A || bytes[place] == 0x0D || bytes[place] == 0x09 {
      place &+= 1
    }
    offset = place
  }

  func fail(_ reason: JSONError.Reason, at place: Int? = nil) -> JSONError {
    JSONError(reason, at: place ?? offset, in: bytes)
  }
}
