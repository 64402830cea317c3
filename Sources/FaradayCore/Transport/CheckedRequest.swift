/// A request that has been validated for an adapter. ``Capabilities/checked(_:of:)`` creates it, so that all adapters reject
/// the same requests with the same errors.
@_spi(Adapters) public struct CheckedRequest: Sendable {
  /// The request.
  public let request: Request
  /// Its URL, validated.
  public let target: Target
  /// The header fields to send: without `Content-Length` and `Transfer-Encoding`, and with at most one `Cookie`.
  public let fields: [HTTPField]
}

extension Capabilities {
  /// Validates a request. Every adapter must do so before it sends anything. The body is not read.
  ///
  /// Throws ``TransportError/Code/unsupported`` if the request needs a missing capability. Throws other codes for a request
  /// that no adapter may send: CONNECT; HEAD or TRACE with a body; a total timeout of zero or less; a URL that is not an
  /// absolute `http` or `https` URL; a header field with a CR, LF or NUL, or a field that contradicts the body's length; a body
  /// that is not encoded; the path of a certificate file with a NUL.
  @_spi(Adapters) public func check(_ request: Request, of adapter: String = "the adapter") throws {
    _ = try checked(request, of: adapter)
  }

  /// Validates a request like ``check(_:of:)``, and returns the data that the adapter sends.
  ///
  /// - Parameter explaining: returns the reason why the adapter lacks a capability, for the error; nil without a known reason.
  @_spi(Adapters) public func checked(
    _ request: Request, of adapter: String, explaining: (Capabilities) -> String? = { _ in nil }
  ) throws -> CheckedRequest {
    var missing: Capabilities = []
    try request.checkMeaning { if !contains($0) { missing.insert($0) } }
    guard missing.isEmpty else {
      let reasons = Self.entries.filter { missing.contains($0.capability) }.compactMap { explaining($0.capability) }
      let message = (["\(adapter) has no \(missing.names.joined(separator: ", "))"] + reasons).joined(separator: ", ")
      throw TransportError(.unsupported, building: request, message)
    }
    return CheckedRequest(request: request, target: try Target(request), fields: try request.fieldsToSend())
  }

  /// The capabilities that a request needs.
  @_spi(Adapters) public init(neededBy request: Request) {
    var needed: Capabilities = []
    TransportOption.visitNeeds(of: request) { needed.insert($0) }
    self = needed
  }
}

extension Request {
  /// Calls the closure with each capability that the request needs. Throws if no adapter may send the request.
  fileprivate func checkMeaning(_ visit: (Capabilities) -> Void) throws {
    // CONNECT would open a tunnel, and the following bytes would not be a response (RFC 9110, section 9.3.6).
    guard method != .connect else {
      throw TransportError(.invalidMethod, building: self, "CONNECT cannot be requested: the adapter sends it to proxies itself")
    }
    guard body.isEmpty || (method != .head && method != .trace) else {
      throw TransportError(.invalidBody, building: self, "a \(method) request must not have a body")
    }
    try TransportOption.check(self, visit)
    if let value = body.unencodedValue {
      let problem = BodyError(.unencoded(type: "\(type(of: value))"))
      throw TransportError(.invalidBody, building: self, problem.description)
    }
  }

  /// The header fields to send, without the fields for the body's framing. Throws if a field cannot be sent unchanged. Several
  /// `Cookie` fields, as HTTP/2 allows, are joined into one (RFC 9113, section 8.2.3).
  fileprivate func fieldsToSend() throws -> [HTTPField] {
    var fields = try checkedFields()
    if let upgrade = options.transport?.fields.upgrade {
      fields += [HTTPField(name: .connection, value: "Upgrade"), HTTPField(name: .upgrade, value: upgrade.name)]
    } else if let expect = options.transport?.fields.expectContinue, !body.isEmpty, !headers.contains(.expect),
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
    var fields: [HTTPField] = []
    // One allocation, and room for `Expect`.
    fields.reserveCapacity(headers.count + 1)
    for field in headers {
      guard field.isSendable else {
        throw TransportError(.invalidHeader, building: self, "the header \(field.unsendableReason)")
      }
      if try !isFraming(field) { fields.append(field) }
    }
    return fields
  }

  /// Whether a field describes the body's framing. The engine sets these fields. Throws if a field contradicts the body.
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
