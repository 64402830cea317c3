import Faraday

/// The argument of one `-d`, `--data-binary`, `--data-raw`, `--data-urlencode` or `--json`.
struct DataArgument: Sendable, Equatable {
  enum Kind: Sendable {
    /// `@file` is read and its line breaks are removed.
    case ascii
    /// `@file` is read as it is.
    case binary
    /// `@` has no special meaning.
    case raw
    /// Percent-encoded: `text`, `=text`, `name=text`, `@file` or `name@file`.
    case encoded
    /// As `binary`, and joined to what is before it without `&`.
    case json
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  func bytes() throws -> Data {
    if kind == .encoded { return try encodedBytes() }
    guard kind != .raw, text.hasPrefix("@") else { return Data(text.utf8) }
    let contents = try InputFile(name: String(text.dropFirst())).contents()
    return kind == .ascii ? contents.filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 } : contents
  }

  private func encodedBytes() throws -> Data {
    let bytes = Data(text.utf8)
    let mark = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.firstIndex(of: UInt8(ascii: "@"))
    guard let mark else { return Self.encoded(bytes) }
    var content = bytes[(mark + 1)...]
    if bytes[mark] == UInt8(ascii: "@") {
      content = try InputFile(name: String(decoding: content, as: UTF8.self)).contents()[...]
    }
    let name = bytes[..<mark]
    return (name.isEmpty ? Data() : name + Data("=".utf8)) + Self.encoded(content)
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986; a space is `+`, as in curl.
  private static func encoded(_ bytes: Data) -> Data {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    // Without the checks that Data does for each byte, of which there may be many.
    bytes.withUnsafeBytes { bytes in
      for byte in bytes {
        switch byte {
        case 0x20: encoded.append(UInt8(ascii: "+"))
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): encoded.append(byte)
        case _ where byte.isDigit || (byte | 0x20) &- 0x61 < 26: encoded.append(byte)
        default:
          encoded.append(UInt8(ascii: "%"))
          encoded.append(digits[Int(byte >> 4)])
          encoded.append(digits[Int(byte & 15)])
        }
      }
    }
    return Data(encoded)
  }

  /// All arguments joined with `&`.
  static func joined(_ arguments: [DataArgument]) throws -> Data {
    var body = Data()
    for (index, argument) in arguments.enumerated() {
      if index > 0, argument.kind != .json { body.append(UInt8(ascii: "&")) }
      body.append(try argument.bytes())
    }
    return body
  }
}
