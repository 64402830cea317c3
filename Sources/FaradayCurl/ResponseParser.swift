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
