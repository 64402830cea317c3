/// Rows of a dump of bytes, as `--trace` and `--trace-ascii` write them.
enum TraceDump {
  static func offset(_ offset: Int) -> String { Figures.padded(offset, to: 4, radix: 16) }

  /// 16 bytes in hexadecimal, then as text.
  static func hexadecimalRow(_ bytes: [UInt8], from start: Int) -> (row: String, next: Int) {
    let row = bytes[start...].prefix(16)
    let digits = row.map { Figures.padded($0, to: 2, radix: 16) + " " }.joined() + String(repeating: "   ", count: 16 - row.count)
    return (digits + text(row), start + 16)
  }

  /// Up to 64 bytes as text; a CR LF ends the row and is not shown.
  static func asciiRow(_ bytes: [UInt8], from start: Int) -> (row: String, next: Int) {
    let row = bytes[start...].prefix(64)
    guard let end = bytes[start...].prefix(65).indices.first(where: { isLineEnd(bytes, at: $0) }) else {
      return (text(row), start + 64)
    }
    return (text(bytes[start..<end]), end + 2)
  }

  private static func isLineEnd(_ bytes: [UInt8], at index: Int) -> Bool {
    bytes[index] == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
  }

  private static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
  }
}
