internal import FaradayCore

/// The error of a malformed request. The server responds with `status`, and closes the connection.
struct BadRequest: Error, CustomStringConvertible {
  let status: Int
  let description: String

  init(_ status: Int, _ description: String) {
    self.status = status
    self.description = description
  }
}

/// The framing of a request's body.
enum Framing: String {
  case none, length, chunked
}

/// A parsed request head: ranges of the received bytes, so that no strings are made unless needed.
struct HTTPHead {
  struct Field {
    let name: Range<Int>
    let value: Range<Int>
  }

  private let bytes: [UInt8]
  private(set) var fields: [Field] = []
  private var methodRange = 0..<0
  private var targetRange = 0..<0
  private(set) var minorVersion = 1
  private(set) var framing = Framing.none
  /// The value of Content-Length; 0 if it is absent.
  private(set) var contentLength = 0
  private(set) var expectsContinue = false
  private(set) var keepsAlive = true

  /// Parses a whole head, with its blank line.
  init(_ source: UnsafeRawBufferPointer) throws {
    bytes = Array(source)
    fields.reserveCapacity(8)
    var start = try parseRequestLine()
    while true {
      let end = try lineEnd(from: start)
      if end == start { break }
      fields.append(try parseField(start..<end))
      start = end + 2
    }
    try interpretFields()
  }

  var method: String { text(methodRange) }
  var target: String { text(targetRange) }
  var isHead: Bool { matches(methodRange, "HEAD") }
  var version: String { "HTTP/1.\(minorVersion)" }

  /// The target's path, without the scheme and authority of a target in absolute form, and without the query.
  var path: String { text(split().path) }

  /// The part of the target after its first question mark, percent-encoded.
  var query: String? { split().query.map(text) }

  /// The fields in order, unchanged.
  var namesAndValues: [(String, String)] { fields.map { (text($0.name), text($0.value)) } }

  /// Whether the target equals this.
  func isTarget(_ target: StaticString) -> Bool { matches(targetRange, target) }

  /// The first field with this name, given in lower case.
  func value(_ name: StaticString) -> String? {
    fields.first { isNamed($0, name) }.map { text($0.value) }
  }

  private func isNamed(_ field: Field, _ name: StaticString) -> Bool { matches(field.name, name, ignoringCase: true) }

  private func matches(_ range: Range<Int>, _ text: StaticString, ignoringCase: Bool = false) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    let mask: UInt8 = ignoringCase ? 0x20 : 0
    for offset in 0..<range.count where bytes[range.lowerBound + offset] | mask != text.utf8Start[offset] | mask {
      return false
    }
    return true
  }

  /// The bytes as UTF-8, or as ISO 8859-1 if they are not.
  private func text(_ range: Range<Int>) -> String {
    String(validating: bytes[range], as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes[range].map { Unicode.Scalar($0) }))
  }

  private func split() -> (path: Range<Int>, query: Range<Int>?) {
    let mark = bytes[targetRange].firstIndex(of: UInt8(ascii: "?"))
    var path = targetRange.lowerBound..<(mark ?? targetRange.upperBound)
    if bytes[path].first != UInt8(ascii: "/") {
      // Absolute form: scheme "://" authority path.
      let slashes = bytes[path].indices.filter { bytes[$0] == UInt8(ascii: "/") }
      path = (slashes.count > 2 ? slashes[2] : path.upperBound)..<path.upperBound
    }
    return (path, mark.map { ($0 + 1)..<targetRange.upperBound })
  }
}

extension HTTPHead {
  private func lineEnd(from start: Int) throws -> Int {
    guard let end = bytes[start...].firstIndex(of: 0x0A), end > start, bytes[end - 1] == 0x0D else {
      throw BadRequest(400, "a line of the head ends without CR LF")
    }
    return end - 1
  }

  private mutating func parseRequestLine() throws -> Int {
    let end = try lineEnd(from: 0)
    let line = bytes[..<end]
    guard let first = line.firstIndex(of: 0x20), first > 0, line[..<first].allSatisfy(\.isTokenByte),
      let last = line.lastIndex(of: 0x20), last > first + 1,
      line[(first + 1)..<last].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw BadRequest(400, "the request line is malformed") }
    methodRange = 0..<first
    targetRange = (first + 1)..<last
    if matches((last + 1)..<end, "HTTP/1.1") {
      minorVersion = 1
    } else if matches((last + 1)..<end, "HTTP/1.0") {
      minorVersion = 0
    } else {
      throw BadRequest(505, "the version is neither HTTP/1.1 nor HTTP/1.0")
    }
    return end + 2
  }

  private func parseField(_ line: Range<Int>) throws -> Field {
    guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound,
      bytes[line.lowerBound..<colon].allSatisfy(\.isTokenByte)
    else { throw BadRequest(400, "a header line is malformed") }
    var value = (colon + 1)..<line.upperBound
    while let first = value.first, isBlank(bytes[first]) { value = (first + 1)..<value.upperBound }
    while let last = value.last, isBlank(bytes[last]) { value = value.lowerBound..<last }
    guard HTTPField.isValidValue(bytes[value]) else {
      throw BadRequest(400, "a header value has a control character")
    }
    return Field(name: line.lowerBound..<colon, value: value)
  }

  private mutating func interpretFields() throws {
    var hosts = 0
    var tokens: Set<String> = []
    var length: Int?
    for field in fields {
      if isNamed(field, "host") {
        hosts += 1
      } else if isNamed(field, "content-length") {
        let digits = text(field.value)
        guard digits.utf8.allSatisfy(\.isDigit), let value = Int(digits), length ?? value == value
        else { throw BadRequest(400, "Content-Length is malformed") }
        length = value
      } else if isNamed(field, "transfer-encoding") {
        guard framing == .none, matches(field.value, "chunked", ignoringCase: true) else {
          throw BadRequest(400, "Transfer-Encoding is not just chunked")
        }
        framing = .chunked
      } else if isNamed(field, "connection") {
        for token in text(field.value).lowercased().split(separator: ",") { tokens.insert(token.trimming()) }
      } else if isNamed(field, "expect") {
        expectsContinue = minorVersion == 1 && matches(field.value, "100-continue", ignoringCase: true)
      }
    }
    if hosts > 1 || hosts == 0 && minorVersion == 1 { throw BadRequest(400, "there is not exactly one Host") }
    if let length {
      if framing == .chunked { throw BadRequest(400, "there are both Content-Length and Transfer-Encoding") }
      (framing, contentLength) = (.length, length)
    }
    keepsAlive = minorVersion == 1 ? !tokens.contains("close") : tokens.contains("keep-alive")
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
