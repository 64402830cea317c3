internal import FaradayCore

/// Writes the replies of one connection. Small writes are buffered, so that a head is sent together with a small body. Used by
/// the connection's thread.
final class ReplyWriter {
  typealias Fields = [(String, String)]

  /// The framing of a reply's body.
  enum Length {
    /// The status implies that there is no body.
    case none
    case known(Int)
    /// In chunks; for an HTTP/1.0 client up to the connection's end.
    case unknown
  }

  /// The status of the latest reply.
  private(set) var status = 0
  /// Whether the connection ends with this reply.
  var closes = false

  private static let gathered = 64 << 10
  private let wire: any Wire
  /// The value of the field Server.
  private let server: String?
  private var pending: [UInt8] = []
  private var isHead = false
  private var isHTTP10 = false
  private var isChunked = false

  init(_ wire: any Wire, server: String? = "faraday-local") {
    self.wire = wire
    self.server = server
  }

  /// Whether a reply to the current request was begun.
  var hasBegun: Bool { status != 0 }

  /// Resets the state before the next request, well-formed or not.
  func reset() {
    status = 0
    (isHead, isHTTP10) = (false, false)
  }

  /// Prepares for the reply to a request.
  func prepare(for head: HTTPHead) {
    closes = !head.keepsAlive
    isHead = head.isHead
    isHTTP10 = head.minorVersion == 0
  }

  /// Sends an informational reply before the final one.
  func interim(_ status: Int, _ fields: Fields = []) throws {
    if isHTTP10 { return }
    appendStatusLine(status)
    for (name, value) in fields { append(name, ": ", value, "\r\n") }
    append("\r\n")
    try flush()
  }

  func begin(_ status: Int, _ fields: Fields, _ length: Length) {
    self.status = status
    isChunked = false
    appendStatusLine(status)
    if let server { append("Server: ", server, "\r\n") }
    for (name, value) in fields { append(name, ": ", value, "\r\n") }
    switch length {
    case .none: break
    case .known(let count): append("Content-Length: ", String(count), "\r\n")
    case .unknown where isHTTP10: closes = true
    case .unknown:
      isChunked = true
      append("Transfer-Encoding: chunked\r\n")
    }
    if closes {
      append("Connection: close\r\n")
    } else if isHTTP10 {
      append("Connection: keep-alive\r\n")
    }
    append("\r\n")
  }

  /// Writes bytes of the body. In a chunked body they must be part of a chunk that was begun.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if isHead { return }
    if bytes.count >= Self.gathered {
      try flush()
      try wire.send(bytes)
    } else {
      pending.append(contentsOf: bytes)
      if pending.count >= Self.gathered { try flush() }
    }
  }

  func beginChunk(_ size: Int) {
    if isChunked && !isHead { append(String(size, radix: 16), "\r\n") }
  }

  func endChunk() {
    if isChunked && !isHead { append("\r\n") }
  }

  /// Writes bytes of the body, in a chunked one as a chunk.
  func writePiece(_ bytes: UnsafeRawBufferPointer) throws {
    if bytes.isEmpty { return }
    beginChunk(bytes.count)
    try write(bytes)
    endChunk()
  }

  /// Ends the body and sends the buffered rest.
  func finish(trailers: Fields = []) throws {
    if isChunked && !isHead {
      append("0\r\n")
      for (name, value) in trailers { append(name, ": ", value, "\r\n") }
      append("\r\n")
    }
    try flush()
  }

  /// Sends the buffered bytes.
  func flush() throws {
    if pending.isEmpty { return }
    try pending.withUnsafeBytes(wire.send)
    pending.removeAll(keepingCapacity: true)
  }

  /// Sends a complete reply with a text body. The type is text/plain, unless `fields` has one.
  func send(_ status: Int, _ fields: Fields = [], text: String) throws {
    let hasType = fields.contains { $0.0.lowercased() == "content-type" }
    begin(status, (hasType ? [] : [("Content-Type", "text/plain; charset=utf-8")]) + fields, .known(text.utf8.count))
    if !isHead { append(text) }
    try finish()
  }

  /// Sends a complete JSON reply.
  func send(_ status: Int, json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    try send(status, [("Content-Type", "application/json")], text: text)
  }

  /// Sends a complete reply without a body.
  func sendEmpty(_ status: Int) throws {
    begin(status, [], .none)
    try flush()
  }

  private func append(_ texts: String...) {
    for text in texts { pending.append(contentsOf: text.utf8) }
  }

  private func appendStatusLine(_ status: Int) {
    append("HTTP/1.1 ", String(status), " ", reasonPhrase(status), "\r\n")
  }
}

private func reasonPhrase(_ status: Int) -> String {
  switch status {
  case 100: "Continue"
  case 101: "Switching Protocols"
  case 103: "Early Hints"
  case 200: "OK"
  case 201: "Created"
  case 202: "Accepted"
  case 204: "No Content"
  case 206: "Partial Content"
  case 301: "Moved Permanently"
  case 302: "Found"
  case 303: "See Other"
  case 304: "Not Modified"
  case 307: "Temporary Redirect"
  case 308: "Permanent Redirect"
  case 400: "Bad Request"
  case 401: "Unauthorized"
  case 403: "Forbidden"
  case 404: "Not Found"
  case 405: "Method Not Allowed"
  case 408: "Request Timeout"
  case 409: "Conflict"
  case 413: "Content Too Large"
  case 418: "I'm a teapot"
  case 422: "Unprocessable Content"
  case 429: "Too Many Requests"
  case 431: "Request Header Fields Too Large"
  case 500: "Internal Server Error"
  case 502: "Bad Gateway"
  case 503: "Service Unavailable"
  case 504: "Gateway Timeout"
  case 505: "HTTP Version Not Supported"
  default: "Status \(status)"
  }
}
