internal import FaradayCore

/// A 200 response with its validator, and what it was selected by.
struct RememberedResponse: Sendable {
  /// What a request is known by, as its middleware gets it.
  struct Key: Hashable {
    private let url: String
    private let credentials: [HTTPField]
    /// A body that was decoded is another than the one on the wire.
    private let isDecoded: Bool
    /// What an unverified server sent must not be confirmed by a verified one.
    private let tls: TLS
    /// Another user, or another server behind the same URL.
    private let authentication: Authentication?
    private let network: Network
    private let proxy: ProxySelection

    init(_ request: Request) {
      url = request.url.absoluteString
      credentials = request.fields(named: [])
      isDecoded = request.options.decompression != nil
      tls = request.options.tls
      authentication = request.options.authentication
      network = request.options.network
      proxy = request.options.proxy
    }

    var size: Int { url.utf8.count + credentials.size }
  }

  let headers: HTTPFields
  /// The field that a request asks with whether the response is still the same.
  let precondition: HTTPField
  /// The names in `Vary`, in lower case.
  private let varying: Set<String>
  /// The fields that it was selected by, as the middleware saw them and as they were sent.
  private let seen: [HTTPField]
  private let sent: [HTTPField]
  private let sentURL: URL
  private let body: Data

  /// Nil if it has no validator, must not be stored, or has too many header fields. Its body is still to come.
  init?(_ response: Response, to request: Request, sent: Request) {
    guard let precondition = Self.precondition(for: response.headers), !response.headers.forbidStoring,
      response.headers.count <= HTTPFields.maximumStoredCount
    else { return nil }
    let varying = Set(response.headers.listed(.vary).map { $0.lowercased() })
    guard !varying.contains("*") else { return nil }
    // Cookies are set by the response that they came with, and go to nobody else.
    self.init(
      headers: response.headers.withoutConnectionFields(), precondition: precondition, varying: varying,
      seen: request.fields(named: varying),
      sent: sent.fields(named: varying), sentURL: sent.url, body: Data())
  }

  private init(
    headers: HTTPFields, precondition: HTTPField, varying: Set<String>, seen: [HTTPField], sent: [HTTPField], sentURL: URL,
    body: Data
  ) {
    self.headers = headers
    self.precondition = precondition
    self.varying = varying
    self.seen = seen
    self.sent = sent
    self.sentURL = sentURL
    self.body = body
  }

  func with(headers: HTTPFields? = nil, precondition: HTTPField? = nil, body: Body? = nil) -> RememberedResponse {
    RememberedResponse(
      headers: headers ?? self.headers, precondition: precondition ?? self.precondition, varying: varying, seen: seen, sent: sent,
      sentURL: sentURL, body: body?.data ?? self.body)
  }

  /// Whether it may be the response to the request, as far as can be told before that is sent.
  func isSelected(by request: Request) -> Bool { request.fields(named: varying) == seen }

  /// Whether the 304, which answers the request that was sent, is about this one.
  func isConfirmed(by response: Response, to request: Request) -> Bool {
    guard request.url == sentURL, request.fields(named: varying) == sent,
      // What else it varies by was not compared.
      Set(response.headers.listed(.vary).map { $0.lowercased() }).isSubset(of: varying)
    else { return false }
    guard let tag = response.headers[.eTag] else { return true }
    // Nor may a tag that this one has not be taken for its own (RFC 9111, section 4.3.4).
    return headers[.eTag].map(Self.opaque) == Self.opaque(tag)
  }

  /// Updated by the header fields of a 304 (RFC 9111, section 3.2); nil if these are too many.
  func updated(by fields: HTTPFields) -> RememberedResponse? {
    headers.updated(by: fields).map { with(headers: $0, precondition: Self.precondition(for: $0)) }
  }

  /// The response in the place of a 304, with all else that is known of that one.
  func response(for notModified: Response) -> Response {
    var response = notModified
    response.status = .ok
    response.headers = headers
    response.headers[fields: .setCookie] = notModified.headers[fields: .setCookie]
    response.body = .data(body)
    return response
  }

  /// About how many bytes it takes.
  var size: Int { body.count + headers.size + seen.size + sent.size + sentURL.absoluteString.utf8.count }

  private static func precondition(for headers: HTTPFields) -> HTTPField? {
    if let tag = headers[.eTag], isEntityTag(tag) { return HTTPField(name: .ifNoneMatch, value: tag) }
    return headers[.lastModified].map { HTTPField(name: .ifModifiedSince, value: $0) }
  }

  /// Of one that is none a server might make a list of tags, or `*`, which all responses have.
  private static func isEntityTag(_ tag: String) -> Bool {
    let quoted = opaque(tag).utf8
    let quote = UInt8(ascii: "\"")
    guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return false }
    return quoted.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != quote }
  }

  /// A tag without its mark for weak ones: how `If-None-Match` compares (RFC 9110, section 8.8.3.2).
  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}

extension Request {
  /// The fields that say who asks, which site is asked, and those of these names in lower case.
  fileprivate func fields(named names: Set<String>) -> [HTTPField] {
    let secrets = secrets
    let names = names.union(["host"])
    return headers.filter { secrets.isRemovedCrossOrigin($0.name) || names.contains($0.name.canonicalName) }
  }
}

extension Sequence where Element == HTTPField {
  fileprivate var size: Int { reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count } }
}
