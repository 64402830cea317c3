internal import FaradayCore

/// A parser for the head and trailers of a response, line by line: informational (1xx) heads, the final one with the body's
/// framing, and trailers (RFC 9112, sections 2 to 7).
///
/// It is independent of libcurl, and does no I/O. libcurl parses the same lines; whatever is ambiguous between the two is an error.
struct ResponseParser {
  /// What a line is.
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
  private var state = State.statusLine
  private var lines = 0
  /// The size of all lines so far, in bytes.
  private(set) var size = 0
  private(set) var status = 0
  private(set) var head = RawHead()
  /// The framing of the body, with the state of the chunk decoder.
  var framing = Framing()
  private(set) var trailers: [UInt8] = []

  /// Whether the request has a `TE` that asks for gzip: then the body may be coded besides being chunked.
  private let acceptsCodings: Bool

  /// A parser for the response to a request with that method and those fields.
  init(to method: HTTPRequest.Method, _ fields: HTTPFields = [:]) {
    isToHead = method == .head
    acceptsCodings = fields[.te].map { TransferCodings.asksForGzip($0) } ?? false
  }

  /// Whether the final head is complete.
  var isComplete: Bool { state == .complete }

  /// Whether the response has no body, whatever its header fields are (RFC 9112, section 6.3).
  var hasNoBody: Bool { isToHead || status == 204 || status == 304 }

  /// The transfer codings of the body, besides chunked.
  var codings: [String] { hasNoBody ? [] : framing.codings }

  /// The length of the body, if the head states it.
  var length: Int64? { hasNoBody ? 0 : framing.length }

  /// Whether the response is complete with so many bytes of body, by its framing. A body that the close of the connection ends
  /// never is.
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
  ///   - isHTTP3: whether the connection is one of QUIC.
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

  /// Begins a response without a head (HTTP/0.9): everything is its body, which the close of the connection ends.
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
    guard status != 101 else { throw malformed("the server switches protocols (101) without a request to upgrade") }
    guard status >= 200 else {
      state = .statusLine
      return .informational
    }
    state = .complete
    // One of a response without content says what a GET's would have had.
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

  private func malformed(_ message: String) -> Problem { Problem(code: .malformedResponse, message: message) }
}

/// The status line: `HTTP/1.1 200 OK` (RFC 9112, section 4), or what libcurl makes up for HTTP/2 and HTTP/3.
struct StatusLine {
  let version: HTTPVersion
  let status: Int
  let reason: Slice<UnsafeRawBufferPointer>

  /// Parses strictly; nil if there is any deviation. libcurl is lenient, and may understand it differently.
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
  /// Whether the bytes are equal to this text, case-sensitively.
  func isEqual(to bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.count == utf8CodeUnitCount && zip(bytes, UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)).allSatisfy(==)
  }

  /// ASCII case-insensitive comparison of the bytes with this text, which must be in lower case.
  func isEqualIgnoringCase(to bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard bytes.count == utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where bytes[bytes.startIndex + index].asciiLowercased != utf8Start[index] { return false }
    return true
  }
}
