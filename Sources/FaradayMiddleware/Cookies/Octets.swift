/// Bytes that usually are UTF-8, such as the name or value of a cookie. Two values are equal if their bytes are equal. Encoded
/// as a string if they are UTF-8, and as an array of numbers otherwise.
struct Octets: Sendable, Hashable {
  var bytes: [UInt8]

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The bytes as text. Bytes that are not UTF-8 are replaced with U+FFFD.
  var text: String {
    get { String(decoding: bytes, as: UTF8.self) }
    set { bytes = Array(newValue.utf8) }
  }
}

extension Octets: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(text.utf8)
    } else {
      self.init(try container.decode([UInt8].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let text = String(validating: bytes, as: UTF8.self) {
      try container.encode(text)
    } else {
      try container.encode(bytes)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Removes spaces and tabs at both ends.
  func trimming() -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let last = lastIndex(where: { !isSpace($0) }) else { return [] }
    return self[...last].drop(while: isSpace)
  }
}
