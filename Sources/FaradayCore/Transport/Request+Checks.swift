/// What every adapter looks at before it sends.
extension Request {
  /// Throws if no adapter may send this, whatever it can do. ``Capabilities/check(_:of:)`` asks, so that every adapter does.
  func checkMeaning() throws {
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
    if let caFile = options.tls.caFile, caFile.utf8.contains(0) {
      throw TransportError(
        .invalidCA, building: self, "the path of options.tls.caFile has a null character, where the system would cut it off")
    }
  }

  /// Throws if no adapter could send this: all that can be told without sending it, for an adapter that does not.
  package func checkSending() throws {
    _ = try Target(self)
    try checkBody()
    _ = try fieldsToSend()
  }

  /// Throws if the body is none that can be sent.
  package func checkBody() throws {
    if let value = body.unencodedValue {
      let problem = UnencodedBody(type: type(of: value))
      throw TransportError(.invalidBody, building: self, problem.description)
    }
  }

  /// The header fields but those that frame the body. Throws if one of them cannot be sent as it is.
  ///
  /// `HTTPFields` may hold a field for each cookie, as HTTP/2 has it; a server is given one (RFC 9113, section 8.2.3).
  package func fieldsToSend() throws -> [HTTPField] {
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
          .invalidHeader, building: self, "Content-Length says \(field.value) and the body has \(actual)")
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

extension TransportError {
  /// Says what went wrong with the request's own body.
  package mutating func setBodyFailure(_ error: any Error) {
    switch error {
    case let mismatch as LengthMismatch:
      code = .bodyLengthMismatch
      message = mismatch.description
    case let unreadable as BodyFile.Unreadable:
      code = .bodyUnreadable
      message = unreadable.description
      underlying = error
    default:
      code = .bodyUnreadable
      // What it says of itself is the caller's own affair, and may have a secret in it.
      message = "the request's body failed: \((error as? TransportError)?.description ?? "\(type(of: error))")"
      underlying = error
    }
  }
}
