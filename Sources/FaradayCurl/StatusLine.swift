internal import FaradayCore

/// The first line of a response: `HTTP/1.1 200 OK` (RFC 9112, section 4), or as libcurl writes it for a version that has none.
struct StatusLine {
  let version: HTTPVersion
  let status: Int
  let reason: Slice<UnsafeRawBufferPointer>

  /// Nil unless it is one to the letter: libcurl goes by its own reading of what is nearly one.
  init?(_ line: UnsafeRawBufferPointer) {
    var rest = line[...]
    while let last = rest.last, last == 0x0D || last == 0x0A { rest.removeLast() }
    guard let space = rest.firstIndex(of: 0x20), let version = Self.versions.first(where: { $0.0.isEqual(to: rest[..<space]) })
    else { return nil }
    rest = rest[(space + 1)...]
    let digits = rest.prefix(3)
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    rest = rest.dropFirst(3)
    guard status >= 100, rest.isEmpty || rest.first == 0x20 else { return nil }
    self.version = version.1
    self.status = status
    reason = rest.dropFirst()
  }

  private static let versions: [(StaticString, HTTPVersion)] = [
    ("HTTP/1.1", .http1_1), ("HTTP/2", .http2), ("HTTP/1.0", .http1_0), ("HTTP/3", .http3),
  ]
}

extension StaticString {
  /// Whether the bytes are this, in its case.
  func isEqual(to bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.count == utf8CodeUnitCount && zip(bytes, UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)).allSatisfy(==)
  }

  /// Whether the bytes are this, which is in lower case, in any case.
  func isEqualIgnoringCase(to bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard bytes.count == utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count {
      let byte = bytes[bytes.startIndex + index]
      let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      if lower != utf8Start[index] { return false }
    }
    return true
  }
}
