internal import FaradayCore

/// Reads a response but for the data of its body, line by line: informational heads, the final one, what it says of the body, and
/// trailers (RFC 9112, sections 2 to 7).
///
/// It knows no libcurl and does no I/O. libcurl has read the same lines; what the two could read differently is a problem here.
struct ResponseParser {
  /// What a line has brought.
  enum Event {
    /// A head begins.
    case begun
    case field
    /// The end of a head with a status below 200: another follows.
    case informational
    /// The end of the final head.
    case head
    case trailer
  }

  struct Problem: Error, Equatable {
    let code: TransportError.Code
    let message: String
  }

  /// Bytes of all heads and trailers together.
  static let maximumSize = 1 << 20

  private enum State { case statusLine, fields, complete }

  private let isToHead: Bool
  private var state = State.statusLine
  private var lines = 0
  /// Bytes of the lines so far.
  private(set) var size = 0
  private(set) var status = 0
  private(set) var head = RawHead()
  /// What the final head says of the body; where it is chunked, how far that is.
  var framing = Framing()
  private(set) var trailers: [UInt8] = []

  /// - Parameter method: the request's.
  init(to method: HTTPRequest.Method) { isToHead = method == .head }

  /// Whether the final head is whole.
  var isComplete: Bool { state == .complete }

  /// Whether the response has no body, whatever its head says (RFC 9112, section 6.3).
  var hasNoBody: Bool { isToHead || status == 204 || status == 304 }

  /// The length of the body, if the head states it.
  var length: Int64? { hasNoBody ? 0 : framing.length }

  /// Whether with so many bytes of body all of the response is there, by its own framing. A body that only the connection's end
  /// ends never is.
  func isWhole(received: Int64) -> Bool {
    guard isComplete else { return false }
    if hasNoBody { return true }
    if let chunks = framing.chunks { return chunks.hasEnded }
    return framing.length == received
  }

  /// Takes a line of a head, or of the trailers that libcurl reads: those of HTTP/2, and where it takes the chunks apart.
  ///
  /// - Parameter isHTTP2: whether that was agreed on with the server.
  mutating func take(_ line: UnsafeRawBufferPointer, isHTTP2: Bool) throws(Problem) -> Event {
    try count(line.count)
    switch state {
    case .statusLine:
      try begin(line, isHTTP2)
      return .begun
    case .fields:
      if line.first == 0x0D || line.first == 0x0A { return try endHead() }
      if let problem = framing.read(line) { throw malformed(problem) }
      head.append(line)
      return .field
    case .complete:
      // Of chunks that are taken apart here they come with the body.
      if framing.chunks == nil { trailers.append(contentsOf: line) }
      return .trailer
    }
  }

  /// Takes the line of a trailer that the chunks have ended with.
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

  private mutating func begin(_ line: UnsafeRawBufferPointer, _ isHTTP2: Bool) throws(Problem) {
    guard let first = StatusLine(line) else { throw malformed("the response has no status line") }
    // libcurl takes the server's word for the version, and would share the connection or not pause it.
    guard (first.version == .http2) == isHTTP2, first.version != .http3 else {
      throw malformed("the response says \(first.version), which was not agreed on with the server")
    }
    head.removeAll()
    head.append(line)
    status = first.status
    framing = Framing(closesConnection: first.version == .http1_0)
    state = .fields
  }

  private mutating func endHead() throws(Problem) -> Event {
    guard status != 101 else { throw malformed("the server switches to another protocol, which nobody has asked for") }
    guard status >= 200 else {
      state = .statusLine
      return .informational
    }
    state = .complete
    guard !framing.isTransferCoded else {
      throw malformed("the response's Transfer-Encoding has a coding that was not asked for")
    }
    guard hasNoBody || !framing.hasTwoEnds else {
      throw malformed("the response has a Content-Length and a Transfer-Encoding that is not chunked")
    }
    return .head
  }

  private func malformed(_ message: String) -> Problem { Problem(code: .malformedResponse, message: message) }
}

/// The head of a response as it came, and what it says. Nothing in it can make parsing fail: libcurl has accepted the
/// status line, and a field whose name is no token is left out.
struct RawHead {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ line: UnsafeRawBufferPointer) { bytes.append(contentsOf: line) }
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(512)
  }

  /// The version, status and fields.
  func parsed() -> (response: HTTPResponse, version: HTTPVersion) {
    bytes.withUnsafeBufferPointer { bytes in
      var rest = bytes
      // Looked at when it came.
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
      // Lines that continue it are taken with it, also where it has no name: they are nobody else's.
      let folded = folds(&rest, after: value)
      guard let name else { continue }
      fields.append(folded.map { HTTPField(name: name, lenientValue: $0) } ?? field(name, value))
    }
    return fields
  }

  private static func field(_ name: HTTPField.Name, _ value: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPField {
    // Nearly all are printable ASCII, and to have their encoding looked at is what costs most of a head.
    guard value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return HTTPField(name: name, lenientValue: UnsafeBufferPointer(rebasing: value))
    }
    return HTTPField(name: name, value: text(value))
  }

  /// A folded line continues the value before it, behind one space (RFC 9112, section 5.2). Nil if there is none.
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
    for index in 0..<bytes.count where bytes[bytes.startIndex + index].asciiLowercased != utf8Start[index] { return false }
    return true
  }
}

/// The names that most fields of responses have, made once: to make one anew its text is checked and put in lower case.
enum FieldNames {
  /// The name that is written so, in just this case; nil if it is none of these.
  static func known(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPField.Name? {
    guard bytes.count < table.count else { return nil }
    return table[bytes.count].first { $0.text.elementsEqual(bytes) }?.name
  }

  /// By the length of the name.
  private static let table: [[(text: [UInt8], name: HTTPField.Name)]] = {
    // As HTTP/1.1 servers write them, and as all do over HTTP/2.
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
