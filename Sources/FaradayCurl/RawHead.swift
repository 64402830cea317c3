internal import FaradayCore

/// The head of a response as it came, and what it says. Nothing in it can make parsing fail: libcurl has accepted the
/// status line, and a field whose name is no token is left out.
struct RawHead {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ line: UnsafeRawBufferPointer) { bytes.append(contentsOf: line) }
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// The version, status and fields.
  func parsed() -> (response: HTTPResponse, version: HTTPVersion) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...]
    let statusLine = String(decoding: Self.trimmed(lines.popFirst() ?? []), as: UTF8.self)
    let words = statusLine.split(separator: " ", maxSplits: 2)
    let code = words.count > 1 ? Int(words[1]) ?? 0 : 0
    let reason = words.count > 2 ? String(words[2]) : ""
    // HTTPTypes traps outside this range; libcurl passes three digits.
    let status = HTTPResponse.Status(code: min(max(code, 0), 999), reasonPhrase: reason)
    return (HTTPResponse(status: status, headerFields: Self.fields(lines)), Self.version(words.first ?? ""))
  }

  /// The fields of lines without a status line: trailers.
  static func fields(_ block: [UInt8]) -> HTTPFields {
    fields(block.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...])
  }

  private static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(lines.count)
    for line in lines {
      if let first = line.first, first == 0x20 || first == 0x09 {
        fold(trimmed(line), into: &fields)
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
      {
        fields.append(HTTPField(name: name, lenientValue: trimmed(line[(colon + 1)...])))
      }
    }
    return fields
  }

  /// A folded line continues the value before it, behind one space (RFC 9112, section 5.2).
  private static func fold(_ text: ArraySlice<UInt8>, into fields: inout HTTPFields) {
    guard let last = fields.popLast() else { return }
    let value = last.withUnsafeBytesOfValue { Array($0) }
    fields.append(HTTPField(name: last.name, lenientValue: value + [0x20] + text))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  private static func version(_ word: Substring) -> HTTPVersion {
    switch word {
    case "HTTP/1.0": .http1_0
    case "HTTP/2": .http2
    case "HTTP/3": .http3
    default: .http1_1
    }
  }
}
