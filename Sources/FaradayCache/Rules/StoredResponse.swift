internal import FaradayCore

/// A stored response, whole, with the times of its exchange. Times are seconds since 1970.
struct StoredResponse: Sendable {
  let status: HTTPResponse.Status
  /// Without the fields of its connection, and without cookies: they are for the one who got them first.
  let headers: HTTPFields
  let version: HTTPVersion
  let requestTime: Double
  let responseTime: Double
  private(set) var body: Data
  let directives: ResponseDirectives
  let freshness: Freshness
  /// What the freshness was computed by.
  private let policy: HTTPCache.Policy

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
    directives = ResponseDirectives(headers)
    freshness = Freshness(
      status: status.code, headers: headers, directives: directives, requestTime: requestTime, responseTime: responseTime,
      policy: policy)
  }

  /// Of a response whose body is still to come.
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

  /// As this policy judges it: a store returns it as its own default policy does.
  func judged(by policy: HTTPCache.Policy) -> StoredResponse {
    guard policy != self.policy else { return self }
    return StoredResponse(
      status: status, headers: headers, version: version, requestTime: requestTime, responseTime: responseTime, body: body,
      policy: policy)
  }

  /// About how many bytes it takes without its body.
  var headSize: Int { headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 } + 256 }

  // MARK: validators

  /// A well-formed `ETag`: of one that is none, or of several, a server might make a list of tags, or `*`, which everything matches.
  var entityTag: String? { headers[.eTag].flatMap { Self.isEntityTag($0) ? $0 : nil } }

  /// The date of `Last-Modified`, as the server wrote it.
  var lastModified: String? { headers[.lastModified].flatMap { HTTPDate.parse($0) == nil ? nil : $0 } }

  /// The fields that ask whether it is still the same (RFC 9111, section 4.3.1).
  var preconditions: [HTTPField] {
    let tag = entityTag.map { HTTPField(name: .ifNoneMatch, value: $0) }
    let date = lastModified.map { HTTPField(name: .ifModifiedSince, value: $0) }
    return [tag, date].compactMap(\.self)
  }

  /// Whether another has the same validators: it is the same, or one that was updated.
  func hasValidators(of other: StoredResponse) -> Bool {
    entityTag == other.entityTag && headers[.lastModified] == other.headers[.lastModified]
  }

  /// Whether a 304 is about this response (section 4.3.4). One without a validator is about what was asked for.
  func isConfirmed(by headers: HTTPFields) -> Bool {
    guard let tag = headers[.eTag] else {
      guard let own = self.headers[.lastModified], let date = headers[.lastModified] else { return true }
      return own == date
    }
    return entityTag.map(Self.opaque) == Self.opaque(tag)
  }

  /// Whether the head of a HEAD's response describes this one (section 4.3.5); nil if that has nothing to tell it by.
  func isDescribed(by headers: HTTPFields) -> Bool? {
    let names = [HTTPField.Name.eTag, .lastModified, .contentLength].filter { headers.contains($0) }
    if let own = self.headers[.contentLength], let length = headers[.contentLength], own != length { return false }
    guard names.contains(where: { $0 != .contentLength }) else { return nil }
    return names.allSatisfy { name in
      guard let own = self.headers[name] else { return name == .contentLength }
      return name == .eTag ? Self.opaque(own) == Self.opaque(headers[name] ?? "") : own == headers[name]
    }
  }

  /// Updated by the head of a 304 or a HEAD's response (section 3.2); nil if that has too many fields.
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

  /// A tag without its mark for weak ones: how `If-None-Match` compares (RFC 9110, section 8.8.3.2).
  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
