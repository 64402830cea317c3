/// A request that has been validated for an adapter: ``Capabilities/checked(_:of:)`` makes it, so that all adapters refuse the same
/// requests with the same errors.
package struct CheckedRequest: Sendable {
  package let request: Request
  package let target: Target
  /// The header fields to send: without `Content-Length` and `Transfer-Encoding`, and with at most one `Cookie`.
  package let fields: [HTTPField]
}

extension Capabilities {
  /// Validates a request, as every adapter must before it sends anything. The body is not read.
  ///
  /// Throws ``TransportError/Code/unsupported`` if the request needs a capability that is missing here. Throws other codes for a
  /// request that no adapter may send: CONNECT; HEAD or TRACE with a body; a total timeout of zero or less; a URL that is not an
  /// absolute `http` or `https` URL; a header field with a CR, LF or NUL, or one that contradicts the body's length; a body that is
  /// not encoded; the path of a certificate file with a NUL.
  public func check(_ request: Request, of adapter: String = "the adapter") throws {
    _ = try checked(request, of: adapter)
  }

  /// Validates a request as ``check(_:of:)`` does, and returns what the adapter needs to send it.
  ///
  /// - Parameter explaining: why the adapter lacks a capability, for the error; nil if there is nothing to say.
  package func checked(
    _ request: Request, of adapter: String, explaining: (Capabilities) -> String? = { _ in nil }
  ) throws -> CheckedRequest {
    try request.checkMeaning()
    if self != .all {
      let missing = Capabilities(neededBy: request).subtracting(self)
      guard missing.isEmpty else {
        let reasons = Self.entries.filter { missing.contains($0.capability) }.compactMap { explaining($0.capability) }
        let message = (["\(adapter) has no \(missing.names.joined(separator: ", "))"] + reasons).joined(separator: ", ")
        throw TransportError(.unsupported, building: request, message)
      }
    }
    return CheckedRequest(request: request, target: try Target(request), fields: try request.fieldsToSend())
  }

  /// The capabilities that a request needs.
  public init(neededBy request: Request) {
    self = []
    let options = request.options
    if !Self.registeredMethods.contains(request.method) { insert(.customMethods) }
    if request.body.isStreamed { insert(.streamedUpload) }
    if !request.body.isEmpty, request.method == .get { insert(.bodyOnGet) }
    if Self.hasDotSegments(request.url) { insert(.dotSegments) }
    if request.headers.contains(.transferEncoding), request.body.length == nil { insert(.duplex) }
    if request.headers.contains(.expect) || options.transport?.fields.expectContinue != nil { insert(.expectContinue) }
    if options.onUploadProgress != nil { insert(.uploadProgress) }
    if options.delivery == .streamed, options.onChunk == nil { insert(.streamedDownload) }
    if options.onInformational != nil { insert(.informational) }
    if options.decompression != nil { insert(.encodedBodies) }
    switch options.requestTarget {
    case .origin: break
    case .asterisk: insert(.asteriskTarget)
    case .verbatim: insert(.verbatimTarget)
    }
    switch options.httpVersion {
    case .automatic: break
    case .http1_0: insert(.http1_0)
    case .http2PriorKnowledge: insert(.http2PriorKnowledge)
    case .http3: insert(.http3)
    case .http1: insert(.http1Only)
    case .http2: insert(.http2)
    }
    if options.timeouts.queue != nil { insert(.queueTimeout) }
    // The defaults of the next two are not required: an adapter without these timeouts has no limit.
    if let connect = options.timeouts.connect, connect != Timeouts().connect { insert(.connectTimeout) }
    if let idle = options.timeouts.idle, idle != Timeouts().idle { insert(.idleTimeout) }
    if options.timeouts.total != nil { insert(.totalTimeout) }
    if options.timeouts.hasPhases { insert(.phaseTimeouts) }
    if let transport = options.transport { formUnion(transport.fields.neededCapabilities) }
  }

  private static let registeredMethods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace,
  ]

  private static func hasDotSegments(_ url: URL) -> Bool {
    var text = url.absoluteString
    return text.withUTF8 { bytes in
      // Where the segment starts, and whether it has only dots so far.
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
  /// Throws if no adapter may send this.
  fileprivate func checkMeaning() throws {
    // It would open a tunnel, and what follows would not be a response (RFC 9110, section 9.3.6).
    guard method != .connect else {
      throw TransportError(.invalidMethod, building: self, "CONNECT cannot be requested: the adapter sends it to proxies itself")
    }
    guard method == .options || options.requestTarget != .asterisk else {
      throw TransportError(.invalidMethod, building: self, "the request target `*` is allowed with OPTIONS only")
    }
    guard body.isEmpty || (method != .head && method != .trace) else {
      throw TransportError(.invalidBody, building: self, "a \(method) request must not have a body")
    }
    // Thrown here: an engine's timer would race with the response.
    if let total = options.timeouts.total, total <= .zero {
      throw TransportError(.totalTimeout, building: self, "a total timeout of \(total) leaves no time to send it")
    }
    if case .verbatim(let target) = options.requestTarget,
      target.isEmpty || !target.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    {
      throw TransportError(
        .invalidURL, building: self, "the request target is empty, or has a space or a character that is not ASCII")
    }
    try options.transport?.fields.check(self)
    if let value = body.unencodedValue {
      let problem = UnencodedBody(type: type(of: value))
      throw TransportError(.invalidBody, building: self, problem.description)
    }
  }

  /// The header fields but those that frame the body. Throws if one of them cannot be sent as it is.
  ///
  /// The header fields to send, checked. Several `Cookie` fields, as HTTP/2 allows, are joined into one (RFC 9113, section 8.2.3).
  fileprivate func fieldsToSend() throws -> [HTTPField] {
    var fields = try checkedFields()
    if let expect = options.transport?.fields.expectContinue, !body.isEmpty, !headers.contains(.expect),
      body.length.map({ $0 >= expect.minimumBodySize }) ?? true
    {
      fields.append(HTTPField(name: .expect, value: "100-continue"))
    }
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
      guard field.isSendable else {
        throw TransportError(.invalidHeader, building: self, "the header \(field.unsendableReason)")
      }
      return try !isFraming(field)
    }
  }

  /// Whether a field describes the body's framing. The engine sets these itself; one that contradicts the body throws.
  private func isFraming(_ field: HTTPField) throws -> Bool {
    switch field.name {
    case .contentLength:
      guard let length = body.length, Int64(field.value) == length else {
        let actual = body.length.map(String.init) ?? "unknown"
        throw TransportError(
          .invalidHeader, building: self, "Content-Length is \(field.value.bounded(to: 64)), but the body's length is \(actual)")
      }
      return true
    case .transferEncoding:
      guard body.length == nil, field.value.lowercased() == "chunked" else {
        throw TransportError(
          .invalidHeader, building: self,
          "Transfer-Encoding is set by the body: leave it out, or set `chunked` with a body of unknown length")
      }
      return true
    default: return false
    }
  }
}
