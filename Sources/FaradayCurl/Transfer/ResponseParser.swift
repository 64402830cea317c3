@_spi(Adapters) internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A parser for the head and trailers of a response, line by line: informational (1xx) heads, the final head with the body's
/// framing, and trailers (RFC 9112, sections 2 to 7).
///
/// It is independent of libcurl, and does no I/O. libcurl parses the same lines; any line that the two could interpret
/// differently is an error.
struct ResponseParser {
  /// The meaning of a line.
  enum Event {
    /// The status line: a head begins.
    case begun
    case field
    /// The end of an informational (1xx) head: another head follows.
    case informational
    /// The end of the final head.
    case head
    case trailer
  }

  struct Problem: Error, Equatable {
    let code: TransportError.Code
    let message: String
  }

  /// The maximum size of all heads and trailers together, in bytes.
  static let maximumSize = 1 << 20

  private enum State { case statusLine, fields, complete }

  private let isToHead: Bool
  /// Whether the request asks for another protocol, so that 101 is the final status.
  private let switchesProtocol: Bool
  private var state = State.statusLine
  private var lines = 0
  /// The size of all lines so far, in bytes.
  private(set) var size = 0
  private(set) var status = 0
  private(set) var head = RawHead()
  /// The framing of the body, with the state of the chunk decoder.
  var framing = Framing()
  private(set) var trailers: [UInt8] = []

  /// Whether the request has a `TE` field that allows gzip: the body may then have another coding in addition to chunked.
  private let acceptsCodings: Bool

  /// Creates a parser for the response to a request with that method and those fields.
  init(to method: HTTPRequest.Method, _ fields: HTTPFields = [:], switchesProtocol: Bool = false) {
    isToHead = method == .head
    self.switchesProtocol = switchesProtocol
    acceptsCodings = fields[.te].map { TransferCodings.asksForGzip($0) } ?? false
  }

  /// Whether the final head is complete.
  var isComplete: Bool { state == .complete }

  /// Whether the connection has switched to another protocol.
  var hasSwitchedProtocol: Bool { isComplete && status == 101 }

  /// Whether the response has no body, whatever its header fields are (RFC 9112, section 6.3).
  var hasNoBody: Bool { isToHead || status == 204 || status == 304 }

  /// The transfer codings of the body, except chunked.
  var codings: [String] { hasNoBody ? [] : framing.codings }

  /// The length of the body, if the head states it.
  var length: Int64? { hasNoBody ? 0 : framing.length }

  /// Whether the response is complete with this many body bytes, according to its framing. A body that ends with the connection
  /// is never complete in this sense.
  func isWhole(received: Int64) -> Bool {
    guard isComplete else { return false }
    if hasNoBody { return true }
    if let chunks = framing.chunks { return chunks.hasEnded }
    return framing.length == received
  }

  /// Parses a line of a head, or of trailers that libcurl delivers as lines (HTTP/2).
  ///
  /// - Parameters:
  ///   - isHTTP2: whether HTTP/2 was negotiated (ALPN).
  ///   - isHTTP3: whether the connection uses QUIC.
  mutating func take(_ line: UnsafeRawBufferPointer, isHTTP2: Bool, isHTTP3: Bool = false) throws(Problem) -> Event {
    try count(line.count)
    switch state {
    case .statusLine:
      try begin(line, isHTTP2, isHTTP3)
      return .begun
    case .fields:
      if line.first == 0x0D || line.first == 0x0A { return try endHead() }
      if let problem = framing.read(line) { throw malformed(problem) }
      head.append(line)
      return .field
    case .complete:
      // Trailers of chunked bodies arrive with the body: `takeTrailer()`.
      if framing.chunks == nil { trailers.append(contentsOf: line) }
      return .trailer
    }
  }

  /// Begins a response without a head (HTTP/0.9): all bytes are its body, which ends with the connection.
  mutating func beginWithoutHead() {
    head.isAbsent = true
    status = 200
    framing = Framing(closesConnection: true)
    state = .complete
  }

  /// Takes the trailer line that the chunk decoder has read.
  mutating func takeTrailer() throws(Problem) {
    guard let line = framing.chunks?.line else { return }
    try count(line.count)
    trailers.append(contentsOf: line)
  }

  private mutating func count(_ bytes: Int) throws(Problem) {
    size += bytes
    guard size <= Self.maximumSize else {
      throw Problem(
        code: .headTooLarge, message: "the response's head and trailers are larger than \(Self.maximumSize) bytes")
    }
    lines += 1
    guard lines <= ResponseLimits.lines else { throw Problem(code: .headTooLarge, message: ResponseLimits.tooManyLines) }
  }

  private mutating func begin(_ line: UnsafeRawBufferPointer, _ isHTTP2: Bool, _ isHTTP3: Bool) throws(Problem) {
    guard let first = StatusLine(line) else { throw malformed("the response has no status line") }
    // libcurl trusts the version in the status line, and would multiplex an HTTP/1.1 connection.
    guard (first.version == .http2) == isHTTP2, (first.version == .http3) == isHTTP3 else {
      throw malformed("the status line says \(first.version), which was not negotiated")
    }
    head.removeAll()
    head.append(line)
    status = first.status
    framing = Framing(closesConnection: first.version == .http1_0)
    state = .fields
  }

  private mutating func endHead() throws(Problem) -> Event {
    if status == 101 { return try switchProtocol() }
    guard status >= 200 else {
      state = .statusLine
      return .informational
    }
    state = .complete
    // In a response without content, the field describes the response to a GET request.
    guard
      hasNoBody || framing.codings.isEmpty || acceptsCodings && framing.isChunked && TransferCodings.canDecode(framing.codings)
    else {
      throw malformed("the response's Transfer-Encoding has an unsupported coding")
    }
    guard hasNoBody || !framing.isAmbiguous else {
      throw malformed("the response's length is ambiguous: it has a Content-Length and a Transfer-Encoding that is not chunked")
    }
    return .head
  }

  /// The head of 101 is complete: the bytes that follow have no framing of HTTP, and end with the connection.
  private mutating func switchProtocol() throws(Problem) -> Event {
    guard switchesProtocol else { throw malformed("the server switches protocols (101) without a request to upgrade") }
    framing = Framing(closesConnection: true)
    state = .complete
    return .head
  }

  private func malformed(_ message: String) -> Problem { Problem(code: .malformedResponse, message: message) }
}

/// The status line: `HTTP/1.1 200 OK` (RFC 9112, section 4), or the line that libcurl generates for HTTP/2 and HTTP/3.
struct StatusLine {
  let version: HTTPVersion
  let status: Int
  let reason: Slice<UnsafeRawBufferPointer>

  /// Parses strictly; nil for any deviation. libcurl is lenient, and may interpret the line differently.
  init?(_ line: UnsafeRawBufferPointer) {
    var rest = line[...]
    while let last = rest.last, last == 0x0D || last == 0x0A { rest.removeLast() }
    guard let space = line.firstPlace(of: 0x20), space < rest.endIndex,
      let version = Self.versions.first(where: { $0.0.isEqual(to: rest[..<space]) })
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
  /// Whether the bytes are equal to this text, case-sensitively.
  func isEqual(to bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.count == utf8CodeUnitCount
      && UnsafeRawBufferPointer(rebasing: bytes).baseAddress.map { memcmp($0, utf8Start, utf8CodeUnitCount) } == 0
  }

  /// Whether the bytes equal this text, ignoring ASCII case. The text must be in lower case.
  func isEqualIgnoringCase(to bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard bytes.count == utf8CodeUnitCount else { return false }
    // Without an early exit, so that the loop is vectorized.
    var difference: UInt8 = 0
    for index in 0..<bytes.count { difference |= bytes[index].asciiLowercased ^ utf8Start[index] }
    return difference == 0
  }
}

extension UnsafeRawBufferPointer {
  /// The index of the first byte with this value, found with `memchr`.
  func firstPlace(of byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }
}

/// The raw bytes of a response's head, and their lenient parser. Parsing cannot fail: the status line was validated, and a
/// field whose name is not a token is skipped.
struct RawHead {
  private(set) var bytes: [UInt8] = []
  /// Whether the response has no head: HTTP/0.9.
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
      // The status line was validated on arrival.
      let first = StatusLine(UnsafeRawBufferPointer(Self.line(&rest)))
      let reason = first.map { String(decoding: $0.reason, as: UTF8.self) } ?? ""
      // HTTPTypes traps on codes without exactly three digits.
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
      if let first = line.first, !isBlank(first), let colon = UnsafeRawBufferPointer(line).firstPlace(of: UInt8(ascii: ":")) {
        name = FieldNames.known(line[..<colon]) ?? HTTPField.Name(text(line[..<colon]))
        value = trimmed(line[(colon + 1)...])
      }
      // Folded lines belong to the previous field, even if its name is invalid.
      let folded = folds(&rest, after: value)
      guard let name else { continue }
      fields.append(folded.map { HTTPField(name: name, lenientValue: $0) } ?? field(name, value))
    }
    return fields
  }

  private static func field(_ name: HTTPField.Name, _ value: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPField {
    let value = UnsafeBufferPointer(rebasing: value)
    // Nearly all values are printable ASCII, and validating UTF-8 would be the most expensive part of parsing a head. Without
    // an early exit, so that the loop is vectorized.
    var others: UInt8 = 0
    for byte in value { others |= byte &- 0x20 < 0x5F ? 0 : 1 }
    guard others == 0 else { return HTTPField(name: name, lenientValue: value) }
    return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
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
    let end = UnsafeRawBufferPointer(rest).firstPlace(of: 0x0A) ?? rest.count
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
    // The usual spelling of HTTP/1.1 servers, and lower case as in HTTP/2.
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
