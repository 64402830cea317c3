@_spi(Adapters) public import FaradayCore
internal import FaradaySupport

/// Signs requests with AWS Signature Version 4, in the `Authorization` header field: for Amazon Web Services, and for other
/// providers that use this scheme.
///
///     connection.use(.awsSignature(region: "eu-central-1", service: "s3", credentials: credentials))
///     connection.use(.awsSignature(region: "us-east-1", service: "es") { _ in try await instance.credentials() })
///
/// Place it last, below everything that changes a request: encoding, ``Redirects``, ``Retry``, ``Cookies``, ``DefaultHeaders``.
/// Each redirect and each attempt is then signed again, with a new date. The signature covers the method, the path and the
/// query as they are sent (also with ``FaradayCore/RequestTarget/verbatim(_:)``), `Host`, the date, the body's hash, and all
/// header fields except the ones that an adapter or a proxy may change (`User-Agent`, `Accept-Encoding`, `Connection`,
/// `Expect`, `Cookie` and others).
///
/// - A request is passed on unsigned if it has an `Authorization` header, if it is cross-origin
///   (``FaradayCore/Request/isCrossOrigin``), or if the provider has no credentials for it.
/// - It adds `X-Amz-Date`, `X-Amz-Security-Token` if the credentials have a session token, and, for S3, `X-Amz-Content-Sha256`.
///   An `X-Amz-Date` (`20150830T123600Z`) or `X-Amz-Content-Sha256` of the request is kept and signed. Set
///   `X-Amz-Content-Sha256` to provide the hash of a body that can be read only once.
/// - The path is percent-encoded once for S3, and its dot segments and double slashes are signed as they are. For every other
///   service it is normalized and encoded twice, as AWS requires; curl 7.88 signs it unchanged.
/// - A body in memory is hashed. A streamed body is sent to S3 over `https` as `UNSIGNED-PAYLOAD`: TLS protects it, and it is
///   read only once. For other services, and over `http`, a file or a replayable sequence is read twice, the first time for its
///   hash; any other streamed body throws ``AWSSignatureError/Reason/bodyNotReplayable``.
///
/// Throws ``AWSSignatureError``, and the errors of the provider; nothing is sent then.
public struct AWSSignature: Middleware {
  /// Returns the credentials for a request; nil sends it unsigned. Called for each request, possibly concurrently. A provider
  /// of temporary credentials renews them here.
  public typealias Provider = @Sendable (Request) async throws -> AWSCredentials?

  private let scope: AWSScope
  private let now: @Sendable () -> Date
  private let provider: Provider

  /// Signs every request with the same credentials.
  ///
  /// - Parameters:
  ///   - scope: provider, region and service.
  ///   - now: the clock; a server rejects a date that is minutes off.
  public init(_ scope: AWSScope, credentials: AWSCredentials, now: @escaping @Sendable () -> Date = { Date() }) {
    self.init(scope, now: now) { _ in credentials }
  }

  /// Signs with the credentials of a provider.
  public init(_ scope: AWSScope, now: @escaping @Sendable () -> Date = { Date() }, provider: @escaping Provider) {
    self.scope = scope
    self.now = now
    self.provider = provider
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard !request.isCrossOrigin, request.headers[.authorization] == nil else { return try await next(request) }
    guard let credentials = try await provider(request) else { return try await next(request) }
    return try await next(signed(request, by: credentials))
  }

  private func signed(_ original: Request, by credentials: AWSCredentials) async throws -> Request {
    var request = original
    let signing = try Signing(original, self.scope, credentials)
    let scope = signing.scope
    let date = request.headers[scope.fieldName("Date")] ?? Timestamp.basic(now())
    guard Self.isDate(date) else { throw signing.failure(.invalidDate) }
    try request.headers.set(name: scope.fieldName("Date"), value: date)
    if let token = credentials.sessionToken, !token.isEmpty {
      try request.headers.set(name: scope.fieldName("Security-Token"), value: token)
    }
    let hash = try await payloadHash(of: request, signing)
    if scope.isS3 || hash == Self.unsigned { try request.headers.set(name: scope.fieldName("Content-Sha256"), value: hash) }
    let canonical = AWSCanonicalRequest(request, signing.target, host: signing.host, payloadHash: hash, scope: scope)
    let signature = signing.signature(of: canonical, date: date)
    try request.headers.authorize(
      Credentials(
        "\(signing.algorithm) Credential=\(signing.credential(at: date)), SignedHeaders=\(canonical.signedHeaders), "
          + "Signature=\(signature)"))
    return request
  }

  /// Returns a URL with a signature in its query: anybody who has the URL can send the request without credentials until it
  /// expires.
  ///
  ///     let url = try await signature.presignedURL(for: Request(.put, "https://bucket.s3.amazonaws.com/key"), expires: .seconds(600))
  ///
  /// The signature covers the method, the URL, `Host`, and the header fields of the request except those that an adapter or a
  /// proxy may change: the sender must send them with these values. The body is not signed for S3 (`UNSIGNED-PAYLOAD`). Other
  /// services compare its hash, so it must be the body of the request that is given here. The URL is a secret: do not log it.
  ///
  /// - Parameters:
  ///   - request: the request that the URL allows. Its origin is not compared with the origin of a connection.
  ///   - lifetime: how long the URL is valid, in whole seconds: from 1 second to 7 days.
  /// - Throws: ``AWSSignatureError``, and the errors of the provider.
  public func presignedURL(for request: Request, expires lifetime: Duration) async throws -> URL {
    let summary = RequestSummary(request)
    guard let credentials = try await provider(request) else {
      throw AWSSignatureError(reason: .missingCredentials, request: summary)
    }
    guard case .origin = request.options.requestTarget else { throw AWSSignatureError(reason: .invalidTarget, request: summary) }
    let seconds = lifetime.components.seconds
    guard (1...604_800).contains(seconds) else { throw AWSSignatureError(reason: .invalidLifetime, request: summary) }
    let signing = try Signing(request, self.scope, credentials)
    let scope = signing.scope
    let date = Timestamp.basic(now())
    let names = AWSCanonicalRequest.signedHeaders(of: request)
    var items = [
      ("Algorithm", signing.algorithm), ("Credential", signing.credential(at: date)), ("Date", date), ("Expires", "\(seconds)"),
      ("SignedHeaders", names),
    ]
    if let token = credentials.sessionToken, !token.isEmpty { items.append(("Security-Token", token)) }
    let added = items.map { "\(scope.fieldName($0))=\(AWSCanonicalRequest.encoded(Array($1.utf8)))" }.joined(separator: "&")
    let query = (signing.target.query.isEmpty ? "" : signing.target.query + "&") + added
    let isUnsigned = scope.isS3 && request.headers[scope.fieldName("Content-Sha256")] == nil
    let hash = isUnsigned ? Self.unsigned : try await payloadHash(of: request, signing)
    let canonical = AWSCanonicalRequest(
      request, AWSCanonicalRequest.Target(path: signing.target.path, query: query[...]), host: signing.host.lowercased(),
      payloadHash: hash, scope: scope)
    let parts = URLParts(request.url.absoluteString)
    let signature = "\(scope.fieldName("Signature"))=\(signing.signature(of: canonical, date: date))"
    guard
      let url = URL(
        text: "\(parts.start)\(parts.host.lowercased())\(parts.path.isEmpty ? "/" : parts.path)?\(query)&\(signature)")
    else {
      throw signing.failure(.invalidTarget)
    }
    return url
  }

  private static let unsigned = "UNSIGNED-PAYLOAD"

  private func payloadHash(of request: Request, _ signing: Signing) async throws -> String {
    if let own = request.headers[signing.scope.fieldName("Content-Sha256")] { return own }
    var hash = SHA256()
    if let data = request.body.data {
      hash.update(data.span)
      return hash.finish().hexadecimal
    }
    guard request.body.isStreamed else { throw signing.failure(.bodyNotEncoded) }
    if signing.scope.isS3, request.isSecure { return Self.unsigned }
    guard request.body.isReplayable else { throw signing.failure(.bodyNotReplayable) }
    do {
      for try await piece in request.body { hash.update(piece.span) }
    } catch let error as CancellationError {
      throw error
    } catch {
      var failure = TransportError(.bodyUnreadable, building: request, "the body could not be read for its signature")
      failure.underlying = error
      throw failure
    }
    return hash.finish().hexadecimal
  }

  /// Whether the text has the form `20150830T123600Z`, as far as the signature needs it.
  private static func isDate(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 16 && bytes[8] == UInt8(ascii: "T") && bytes[15] == UInt8(ascii: "Z")
      && (bytes[..<8] + bytes[9..<15]).allSatisfy(\.isDigit)
  }
}

/// The parts of a signature that depend on the request's URL, the scope and the credentials only.
private struct Signing {
  let scope: AWSScope.Resolved
  let target: AWSCanonicalRequest.Target
  /// The value of the `Host` field.
  let host: String
  /// `AWS4-HMAC-SHA256`
  let algorithm: String
  private let credentials: AWSCredentials
  private let summary: RequestSummary

  init(_ request: Request, _ scope: AWSScope, _ credentials: AWSCredentials) throws {
    let summary = RequestSummary(request)
    let failure = { (reason: AWSSignatureError.Reason) in AWSSignatureError(reason: reason, request: summary) }
    let host = URLParts(request.url.absoluteString).host
    guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }) else { throw failure(.invalidHost) }
    self.scope = try scope.resolved(for: request.url, of: summary)
    guard Self.isAccessKey(credentials.accessKey) else { throw failure(.invalidAccessKey) }
    guard let target = AWSCanonicalRequest.Target(request) else { throw failure(.invalidTarget) }
    self.target = target
    self.host = Self.withoutDefaultPort(host, request.url)
    algorithm = self.scope.upper + "4-HMAC-SHA256"
    self.credentials = credentials
    self.summary = summary
  }

  func failure(_ reason: AWSSignatureError.Reason) -> AWSSignatureError { AWSSignatureError(reason: reason, request: summary) }

  func credential(at date: String) -> String { "\(credentials.accessKey)/\(scopeText(date))" }

  func signature(of canonical: AWSCanonicalRequest, date: String) -> String {
    let key = [String(date.prefix(8)), scope.region, scope.service, scope.terminator].reduce(
      Array((scope.upper + "4" + credentials.secretKey).utf8)
    ) { SHA256.authentication(of: $1.utf8, key: $0) }
    let text = [algorithm, date, scopeText(date), SHA256.hash(canonical.bytes).hexadecimal].joined(separator: "\n")
    return SHA256.authentication(of: text.utf8, key: key).hexadecimal
  }

  private func scopeText(_ date: String) -> String {
    "\(date.prefix(8))/\(scope.region)/\(scope.service)/\(scope.terminator)"
  }

  /// Whether the access key is valid in the field: it must not contain the separators of the field's parts.
  private static func isAccessKey(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/,=".utf8.contains($0) }
  }

  /// The host and port as in the `Host` field.
  private static func withoutDefaultPort(_ host: Substring, _ url: URL) -> String {
    let port = url.scheme?.lowercased() == "https" ? ":443" : ":80"
    return String(host.hasSuffix(port) ? host.dropLast(port.count) : host.hasSuffix(":") ? host.dropLast() : host)
  }
}

/// A request that could not be signed. Nothing was sent.
public struct AWSSignatureError: FaradayError, Hashable {
  /// Why a request could not be signed.
  public enum Reason: Sendable, Hashable, CustomStringConvertible {
    /// The scope names no service, and the host has no label to take it from.
    case missingService
    /// The scope names no region, and the host has no label to take it from.
    case missingRegion
    /// A provider, region or service is empty, too long, or has characters that a signature cannot have.
    case invalidScope
    /// The host is not ASCII.
    case invalidHost
    /// The access key is empty, or has a character that is not allowed in the `Authorization` field.
    case invalidAccessKey
    /// The request target (``FaradayCore/RequestTarget/verbatim(_:)``) is not a path with an optional query.
    case invalidTarget
    /// The date of the request is not of the form `20150830T123600Z`.
    case invalidDate
    /// The body is a value that no middleware above has encoded.
    case bodyNotEncoded
    /// The body can be read only once, but must be read twice: for its hash, and to be sent.
    case bodyNotReplayable
    /// The provider has no credentials for a URL that is to be presigned.
    case missingCredentials
    /// The lifetime of a presigned URL is not from 1 second to 7 days.
    case invalidLifetime

    public var description: String {
      switch self {
      case .missingService: "the scope has no service, and the host name has no first label to take the service from"
      case .missingRegion: "the scope has no region, and the host name has no second label to take the region from"
      case .invalidScope:
        "a provider, region or service is empty, longer than 64 bytes, or has other characters than A-Z, 0-9 and -._"
      case .invalidHost: "the host name is not ASCII"
      case .invalidAccessKey: "the access key is empty, or has other characters than those of visible ASCII without / , and ="
      case .invalidTarget: "the request target is not a path, with or without a query"
      case .invalidDate: "the date of the request does not have the form 20150830T123600Z"
      case .bodyNotEncoded: "the body is not encoded yet: place the signature below the middleware that encodes it"
      case .bodyNotReplayable:
        "the body can be read only once: set its SHA-256 in X-Amz-Content-Sha256, or send a file or bytes"
      case .missingCredentials: "the provider has no credentials"
      case .invalidLifetime: "a presigned URL must be valid for 1 second to 7 days"
      }
    }
  }

  /// Why the request could not be signed.
  public let reason: Reason
  /// The request; nil if the error comes from parsing a scope.
  public let request: RequestSummary?

  public var description: String { naming("cannot be signed: \(reason)") }
}

extension Middleware where Self == AWSSignature {
  /// Signs requests for a region and service of AWS. See ``FaradayMiddleware/AWSSignature``.
  public static func awsSignature(
    region: String, service: String, credentials: AWSCredentials, now: @escaping @Sendable () -> Date = { Date() }
  ) -> Self {
    Self(AWSScope(region: region, service: service), credentials: credentials, now: now)
  }

  /// Signs requests for a region and service of AWS, with the credentials of a provider.
  public static func awsSignature(
    region: String, service: String, now: @escaping @Sendable () -> Date = { Date() },
    provider: @escaping AWSSignature.Provider
  ) -> Self {
    Self(AWSScope(region: region, service: service), now: now, provider: provider)
  }
}
