internal import FaradayCore

/// A complete stored response with the times of its exchange. Times are seconds since 1970.
struct StoredResponse: Sendable {
  let status: HTTPResponse.Status
  /// The header fields without the fields of the connection, and without cookies, which are for their first recipient only.
  let headers: HTTPFields
  let version: HTTPVersion
  let requestTime: Double
  let responseTime: Double
  private(set) var body: Data
  let directives: ResponseDirectives
  let freshness: Freshness
  /// The policy that determined the freshness.
  let policy: HTTPCache.Policy

  init(
    status: HTTPResponse.Status, headers: HTTPFields, version: HTTPVersion, requestTime: Double, responseTime: Double, body: Data,
    policy: HTTPCache.Policy
  ) {
    self.status = status
    self.headers = headers
    self.version = version
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.body = body
    self.policy = policy
    directives = ResponseDirectives(headers, policy)
    freshness = Freshness(
      status: status.code, headers: headers, directives: directives, requestTime: requestTime, responseTime: responseTime,
      policy: policy)
  }

  /// Creates a stored response whose body has not arrived yet.
  init(_ response: Response, requestTime: Double, responseTime: Double, policy: HTTPCache.Policy) {
    self.init(
      status: response.status, headers: response.headers.withoutConnectionFields(), version: response.version,
      requestTime: requestTime, responseTime: responseTime, body: Data(), policy: policy)
  }

  func with(body: Data) -> StoredResponse {
    var copy = self
    copy.body = body
    return copy
  }

  func with(headers: HTTPFields) -> StoredResponse {
    StoredResponse(
      status: status, headers: headers, version: version, requestTime: requestTime, responseTime: responseTime, body: body,
      policy: policy)
  }

  /// Returns the response with this policy: a store returns it with the default policy.
  func judged(by policy: HTTPCache.Policy) -> StoredResponse {
    guard policy != self.policy else { return self }
    return StoredResponse(
      status: status, headers: headers, version: version, requestTime: requestTime, responseTime: responseTime, body: body,
      policy: policy)
  }

  /// The approximate size in bytes without the body.
  var headSize: Int { headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 } + 256 }

  // MARK: validators

  /// The `ETag`, if it is well-formed. A server could parse a malformed ETag as a list of tags, or as `*`, which matches
  /// everything.
  var entityTag: String? { headers[.eTag].flatMap { Self.isEntityTag($0) ? $0 : nil } }

  /// The date of `Last-Modified`, in the server's notation.
  var lastModified: String? { headers[.lastModified].flatMap { HTTPDate.parse($0) == nil ? nil : $0 } }

  /// The fields of a conditional request for this response (RFC 9111, section 4.3.1).
  var preconditions: [HTTPField] {
    let tag = entityTag.map { HTTPField(name: .ifNoneMatch, value: $0) }
    let date = lastModified.map { HTTPField(name: .ifModifiedSince, value: $0) }
    return [tag, date].compactMap(\.self)
  }

  /// Whether both responses have equal validators: they are the same response, possibly updated.
  func hasValidators(of other: StoredResponse) -> Bool {
    entityTag == other.entityTag && headers[.lastModified] == other.headers[.lastModified]
  }

  /// Whether a 304 refers to this response (section 4.3.4). A 304 without a validator refers to the requested response.
  func isConfirmed(by headers: HTTPFields) -> Bool {
    guard let tag = headers[.eTag] else {
      guard let own = self.headers[.lastModified], let date = headers[.lastModified] else { return true }
      return own == date
    }
    return entityTag.map(Self.opaque) == Self.opaque(tag)
  }

  /// Whether this response was selected by all request fields that a 304 names in `Vary`. Other fields were not compared, so a
  /// date alone can belong to another variant. An `ETag` differs between variants.
  func isSelected(asStatedBy headers: HTTPFields) -> Bool {
    guard !headers.contains(.eTag), let named = Vary(headers)?.names else { return true }
    return Set(named).isSubset(of: Vary(self.headers)?.names ?? [])
  }

  /// Whether the head of a HEAD's response describes this response (section 4.3.5); nil if it has no fields for the comparison.
  func isDescribed(by headers: HTTPFields) -> Bool? {
    let names = [HTTPField.Name.eTag, .lastModified, .contentLength].filter { headers.contains($0) }
    if let own = self.headers[.contentLength], let length = headers[.contentLength], own != length { return false }
    guard names.contains(where: { $0 != .contentLength }) else { return nil }
    return names.allSatisfy { name in
      guard let own = self.headers[name] else { return name == .contentLength }
      return name == .eTag ? Self.opaque(own) == Self.opaque(headers[name] ?? "") : own == headers[name]
    }
  }

  /// Returns the response, updated by the head of a 304 or a HEAD's response (section 3.2); nil if the head has too many
  /// fields.
  func updated(by new: HTTPFields, requestTime: Double, responseTime: Double) -> StoredResponse? {
    headers.updated(by: new).map { headers in
      StoredResponse(
        status: status, headers: headers, version: version, requestTime: requestTime, responseTime: responseTime, body: body,
        policy: policy)
    }
  }

  private static func isEntityTag(_ tag: String) -> Bool {
    let quoted = opaque(tag).utf8
    let quote = UInt8(ascii: "\"")
    guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return false }
    return quoted.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
  }

  /// Removes the mark of a weak tag: the weak comparison of `If-None-Match` (RFC 9110, section 8.8.3.2).
  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
