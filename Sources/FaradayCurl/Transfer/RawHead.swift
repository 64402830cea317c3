internal import FaradayCore

/// The raw bytes of a response's head, and their lenient parser. It cannot fail: the status line was checked, and a field whose
/// name is not a token is skipped.
struct RawHead {
  private(set) var bytes: [UInt8] = []
  /// Whether the response has none: HTTP/0.9.
  var isAbsent = false

  mutating func append(_ line: UnsafeRawBufferPointer) { bytes.append(contentsOf: line) }
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(512)
  }

  /// The version, status and fields.
  func parsed() -> (response: HTTPResponse, version: HTTPVersion) {
    if isAbsent { return (HTTPResponse(status: .ok), .http0_9) }
    return bytes.withUnsafeBufferPointer { bytes in
      var rest = bytes
      // Checked when it arrived.
      let first = StatusLine(UnsafeRawBufferPointer(Self.line(&rest)))
      let reason = first.map { String(decoding: $0.reason, as: UTF8.self) } ?? ""
      // HTTPTypes traps outside of three digits.
      let status = HTTPResponse.Status(code: first?.status ?? 0, reasonPhrase: reason)
      let response = HTTPResponse(status: status, headerFields: Self.fields(rest))
      return (response, first?.version ?? .unknown)
    }
  }

  /// The fields of lines without a status line: trailers.
  static func fields(_ block: [UInt8]) -> HTTPFields {
    block.isEmpty ? [:] : block.withUnsafeBufferPointer(fields)
  }

  private static func fields(_ block: UnsafeBufferPointer<UInt8>) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(8)
    var rest = block
    while !rest.isEmpty {
      let line = line(&rest)
      var value = line[line.endIndex...]
      var name: HTTPField.Name?
      if let first = line.first, !isBlank(first), let colon = line.firstIndex(of: UInt8(ascii: ":")) {
        name = FieldNames.known(line[..<colon]) ?? HTTPField.Name(text(line[..<colon]))
        value = trimmed(line[(colon + 1)...])
      }
      // Folded lines belong to the field before, even if that has no valid name.
      let folded = folds(&rest, after: value)
      guard let name else { continue }
      fields.append(folded.map { HTTPField(name: name, lenientValue: $0) } ?? field(name, value))
    }
    return fields
  }

  private static func field(_ name: HTTPField.Name, _ value: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPField {
    // Nearly all values are printable ASCII, and validating UTF-8 would be the most expensive part of parsing a head.
    guard value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return HTTPField(name: name, lenientValue: UnsafeBufferPointer(rebasing: value))
    }
    return HTTPField(name: name, value: text(value))
  }

  /// The value with folded lines appended, each after one space (RFC 9112, section 5.2). Nil if there are none.
  private static func folds(
    _ rest: inout UnsafeBufferPointer<UInt8>, after value: Slice<UnsafeBufferPointer<UInt8>>
  ) -> [UInt8]? {
    guard let first = rest.first, isBlank(first) else { return nil }
    var whole = Array(value)
    while let first = rest.first, isBlank(first) {
      whole.append(0x20)
      whole.append(contentsOf: trimmed(line(&rest)[...]))
    }
    return whole
  }

  /// Takes the next line, without its end.
  private static func line(_ rest: inout UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let end = rest.firstIndex(of: 0x0A) ?? rest.count
    let isCarried = end > 0 && rest[end - 1] == 0x0D
    defer { rest = UnsafeBufferPointer(rebasing: rest[min(end + 1, rest.count)...]) }
    return UnsafeBufferPointer(rebasing: rest[..<(isCarried ? end - 1 : end)])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }
}

/// A cache of common field names: creating an `HTTPField.Name` validates and lowercases its text.
enum FieldNames {
  /// The cached name with exactly these bytes, case-sensitive; nil if there is none.
  static func known(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPField.Name? {
    guard bytes.count < table.count else { return nil }
    return table[bytes.count].first { $0.text.elementsEqual(bytes) }?.name
  }

  /// The names by their lengths.
  private static let table: [[(text: [UInt8], name: HTTPField.Name)]] = {
    // As HTTP/1.1 servers usually write them, and in lower case as in HTTP/2.
    let spellings = names.flatMap { [$0, $0.lowercased()] }.compactMap { text in
      HTTPField.Name(text).map { (Array(text.utf8), $0) }
    }
    let longest = spellings.map(\.0.count).max() ?? 0
    return (0...longest).map { length in spellings.filter { $0.0.count == length } }
  }()

  private static let names = [
    "Accept-Ranges", "Age", "Allow", "Alt-Svc", "Cache-Control", "Connection", "Content-Encoding", "Content-Length",
    "Content-Type", "Date", "ETag", "Expires", "Keep-Alive", "Last-Modified", "Link", "Location", "Server", "Set-Cookie",
    "Strict-Transport-Security", "Transfer-Encoding", "Vary", "Via", "WWW-Authenticate", "X-Content-Type-Options",
  ]
}
