/// A request that nothing in it keeps from being sent.
///
/// Every adapter gets its own from ``Capabilities/checked(_:of:)``, so that all refuse the same, with the same errors.
package struct CheckedRequest: Sendable {
  package let request: Request
  package let target: Target
  /// The header fields but those that frame the body, with one `Cookie` at most.
  package let fields: [HTTPField]
}

extension Capabilities {
  /// Throws what an adapter fails a request with before it sends anything, so that every adapter refuses the same.
  ///
  /// That is ``TransportError/Code/unsupported`` if the request needs more than this, naming what; and what fits if it is one that no
  /// adapter may send: CONNECT, HEAD or TRACE with a body, a total timeout of zero or less, a URL that is not absolute or neither `http` nor `https`, a header field that
  /// would end its line or contradicts the body's length, a body that is not encoded, a file's path that the system would read as
  /// another. The body is not read.
  public func check(_ request: Request, of adapter: String = "the adapter") throws {
    _ = try checked(request, of: adapter)
  }

  /// The same, with what the check has found out.
  package func checked(_ request: Request, of adapter: String) throws -> CheckedRequest {
    try request.checkMeaning()
    if self != .all {
      let missing = Capabilities(neededBy: request).subtracting(self)
      guard missing.isEmpty else {
        throw TransportError(.unsupported, building: request, "\(adapter) has no \(missing.names.joined(separator: ", "))")
      }
    }
    return CheckedRequest(request: request, target: try Target(request), fields: try request.fieldsToSend())
  }

  /// What the request cannot do without.
  public init(neededBy request: Request) {
    self = []
    let options = request.options
    if !Self.registeredMethods.contains(request.method) { insert(.customMethods) }
    if request.body.isStreamed { insert(.streamedUpload) }
    if !request.body.isEmpty, request.method == .get { insert(.bodyOnGet) }
    if Self.hasDotSegments(request.url) { insert(.dotSegments) }
    if request.headers.contains(.transferEncoding), request.body.length == nil { insert(.duplex) }
    if request.headers.contains(.expect) { insert(.expectContinue) }
    if options.onUploadProgress != nil { insert(.uploadProgress) }
    if options.delivery == .streamed, options.onChunk == nil { insert(.streamedDownload) }
    if options.onInformational != nil { insert(.informational) }
    if options.decompression != nil { insert(.encodedBodies) }
    if options.requestTarget == .asterisk { insert(.asteriskTarget) }
    switch options.httpVersion {
    case .automatic: break
    case .http1: insert(.http1Only)
    case .http2: insert(.http2)
    }
    if options.timeouts.queue != nil { insert(.queueTimeout) }
    // The defaults of the next two are nothing to insist on: an adapter without a limit says so by lacking it.
    if let connect = options.timeouts.connect, connect != Timeouts().connect { insert(.connectTimeout) }
    if let idle = options.timeouts.idle, idle != Timeouts().idle { insert(.idleTimeout) }
    if options.timeouts.total != nil { insert(.totalTimeout) }
    if options.tls.caFile != nil { insert(.customCA) }
    if !options.tls.verifiesServer { insert(.unverifiedTLS) }
  }

  private static let registeredMethods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace,
  ]

  private static func hasDotSegments(_ url: URL) -> Bool {
    var text = url.absoluteString
    return text.withUTF8 { bytes in
      // Where the segment began, and whether it has had nothing but dots.
      var (start, isDots) = (0, true)
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
          if isDots, (1...2).contains(index - start) { return true }
          if byte != UInt8(ascii: "/") { return false }
          (start, isDots) = (index + 1, true)
        case UInt8(ascii: "."): break
        default: isDots = false
        }
      }
      return isDots && (1...2).contains(bytes.count - start)
    }
  }
}

extension Request {
  /// Throws if no adapter may send this, whatever it can do.
  fileprivate func checkMeaning() throws {
    // To a server it would open a tunnel, and what then came would not be a response (RFC 9110, section 9.3.6).
    guard method != .connect else {
      throw TransportError(.invalidMethod, building: self, "CONNECT is said to proxies, by the adapter: it is no request")
    }
    guard method == .options || options.requestTarget != .asterisk else {
      throw TransportError(.invalidMethod, building: self, "only OPTIONS may be asked of the server as a whole, `*`")
    }
    guard body.isEmpty || (method != .head && method != .trace) else {
      throw TransportError(.invalidBody, building: self, "a \(method) request has no body")
    }
    // An engine's clock would begin with its request, and might win or lose against the answer.
    if let total = options.timeouts.total, total <= .zero {
      throw TransportError(.totalTimeout, building: self, "a total timeout of \(total) leaves no time to send it")
    }
    if let caFile = options.tls.caFile, caFile.utf8.contains(0) {
      throw TransportError(
        .invalidCA, building: self, "the path of options.tls.caFile has a null character, where the system would cut it off")
    }
    if let value = body.unencodedValue {
      let problem = UnencodedBody(type: type(of: value))
      throw TransportError(.invalidBody, building: self, problem.description)
    }
  }

  /// The header fields but those that frame the body. Throws if one of them cannot be sent as it is.
  ///
  /// `HTTPFields` may hold a field for each cookie, as HTTP/2 has it; a server is given one (RFC 9113, section 8.2.3).
  fileprivate func fieldsToSend() throws -> [HTTPField] {
    let fields = try checkedFields()
    let cookies = fields.filter { $0.name == .cookie }
    guard cookies.count > 1, let first = fields.firstIndex(where: { $0.name == .cookie }) else { return fields }
    var value: [UInt8] = []
    for cookie in cookies {
      if !value.isEmpty { value += "; ".utf8 }
      cookie.withUnsafeBytesOfValue { value += $0 }
    }
    var joined = fields
    joined[first] = HTTPField(name: cookies[0].name, lenientValue: value)
    joined.removeSubrange((first + 1)...)
    return joined + fields[(first + 1)...].filter { $0.name != .cookie }
  }

  private func checkedFields() throws -> [HTTPField] {
    try headers.filter { field in
      // The vocabulary's types cannot hold these; a field that could end its line is refused wherever it came from.
      let endsLine = field.withUnsafeBytesOfValue { $0.contains(where: \.endsLine) }
      guard !endsLine, !field.name.rawName.hasPrefix(":") else {
        throw TransportError(.invalidHeader, building: self, "the header \(field.name) cannot be sent as it is")
      }
      return try !isFraming(field)
    }
  }

  /// How the body is framed follows from the body. A field that says the same is left out, one that does not is an error.
  private func isFraming(_ field: HTTPField) throws -> Bool {
    switch field.name {
    case .contentLength:
      guard let length = body.length, Int64(field.value) == length else {
        let actual = body.length.map(String.init) ?? "no known length"
        throw TransportError(
          .invalidHeader, building: self, "Content-Length says \(field.value.bounded(to: 64)) and the body has \(actual)")
      }
      return true
    case .transferEncoding:
      guard body.length == nil, field.value.lowercased() == "chunked" else {
        throw TransportError(
          .invalidHeader, building: self, "Transfer-Encoding is decided by the body: chunked if it has no known length")
      }
      return true
    default: return false
    }
  }
}

/// A URL that may be sent to: absolute, `http` or `https`, with a host. The engine parses the rest, and nobody else does.
package struct Target {
  /// The URL in ASCII, as the engine gets it.
  package let text: String
  /// Scheme, host and port in lower case: whose connections it can share.
  package let origin: String
  package let isSecure: Bool

  /// It ends, but for a fragment, in the question mark of a query without text.
  package let hasEmptyQuery: Bool

  package init(_ request: Request) throws {
    var text = request.url.absoluteString
    let parts: Parts
    switch text.withUTF8(Self.read) {
    case .success(let found): parts = found
    case .failure(let problem): throw TransportError(problem.code, building: request, problem.text)
    }
    isSecure = parts.isSecure
    hasEmptyQuery = parts.hasEmptyQuery
    let authority = text.utf8.index(text.utf8.startIndex, offsetBy: parts.host.lowerBound)
    let end = text.utf8.index(text.utf8.startIndex, offsetBy: parts.host.upperBound)
    origin = parts.isCanonical ? String(text[..<end]) : (isSecure ? "https://" : "http://") + text[authority..<end].lowercased()
    self.text = text
  }

  private struct Parts {
    var isSecure: Bool
    var host: Range<Int>
    /// What is before the end of the host is the origin as it stands.
    var isCanonical: Bool
    var hasEmptyQuery: Bool
  }

  private struct Problem: Error {
    let code: TransportError.Code
    let text: String
    static let noHost = Problem(code: .invalidURL, text: "the URL has no host")
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Parts, Problem> {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      return .failure(Problem(code: .invalidURL, text: "the URL is not absolute"))
    }
    let scheme = bytes[..<colon]
    let isSecure = matches(scheme, "https")
    guard isSecure || matches(scheme, "http") else {
      return .failure(Problem(code: .unsupportedScheme, text: "only http and https URLs can be sent"))
    }
    let start = colon + 3
    guard bytes.count >= start, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/") else {
      return .failure(.noHost)
    }
    var host = start
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      end += 1
      if byte == UInt8(ascii: "@") { host = end }
    }
    guard host < end, bytes[host] != UInt8(ascii: ":") else { return .failure(.noHost) }
    guard hasPort(bytes[host..<end]) else { return .failure(Problem(code: .invalidURL, text: "the URL's port is none")) }
    // Engines skip some of these and this would not: refusing them leaves one reading of where the request goes.
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
      return .failure(Problem(code: .invalidURL, text: "the URL has a space, control character or backslash"))
    }
    let isCanonical = host == start && !bytes[..<end].contains { $0 &- 0x41 < 26 }
    let fragment = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    let hasEmptyQuery = bytes[fragment - 1] == UInt8(ascii: "?")
    return .success(Parts(isSecure: isSecure, host: host..<end, isCanonical: isCanonical, hasEmptyQuery: hasEmptyQuery))
  }

  /// Whether what stands behind the host, if anything does, is a port: a number up to 65,535, or nothing behind the colon.
  private static func hasPort(_ authority: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // The address of an IPv6 host has colons of its own.
    let start = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    guard let colon = authority[start...].firstIndex(of: UInt8(ascii: ":")) else { return true }
    var port = 0
    for byte in authority[(colon + 1)...] {
      guard byte.isDigit else { return false }
      port = port * 10 + Int(byte - 0x30)
      guard port <= 65_535 else { return false }
    }
    return true
  }

  /// ASCII case-insensitive comparison with a text in lower case.
  private static func matches(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in text.count == bytes.count && zip(bytes, text).allSatisfy { $0 | 0x20 == $1 } }
  }
}
