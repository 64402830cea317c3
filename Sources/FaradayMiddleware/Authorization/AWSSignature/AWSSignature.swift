public import FaradayCore

/// Signs requests with AWS Signature Version 4, in the `Authorization` header field: for Amazon Web Services, and for the services
/// of others that took it over.
///
///     connection.use(.awsSignature(region: "eu-central-1", service: "s3", credentials: credentials))
///     connection.use(.awsSignature(region: "us-east-1", service: "es") { _ in try await instance.credentials() })
///
/// It signs what it is given, so it stands last, below everything that changes a request: encoding, ``Redirects``, ``Retry``,
/// ``Cookies``, ``DefaultHeaders``. Each redirect and each attempt is then signed again, with a date of its own. Signed are the
/// method, the path and the query as they are sent (also those of ``FaradayCore/RequestTarget/verbatim(_:)``), `Host`, the date, the body's hash, and all header fields but those that an adapter or a proxy may
/// change (`User-Agent`, `Accept-Encoding`, `Connection`, `Expect`, `Cookie` and the like).
///
/// - A request with an `Authorization` header of its own, a cross-origin one (``FaradayCore/Request/isCrossOrigin``), and one for
///   which the provider has no credentials, is passed on unsigned.
/// - The fields that are added are `X-Amz-Date`, `X-Amz-Security-Token` if the credentials have a session token, and, for S3,
///   `X-Amz-Content-Sha256`. An `X-Amz-Date` (`20150830T123600Z`) or `X-Amz-Content-Sha256` of the request's own is kept and signed:
///   the second is how to give the hash of a body that can be read only once.
/// - The path is percent-encoded once for S3, and its dot segments and double slashes are signed as they are. For every other
///   service it is normalized and encoded twice, as AWS asks for; curl 7.88 signs it as it is.
/// - A body in memory is hashed. A streamed body is sent to S3 over `https` as `UNSIGNED-PAYLOAD`: TLS protects it, and it is read
///   only once. Elsewhere a file, or a sequence that is replayable, is read twice, once for its hash; another one throws
///   ``AWSSignatureError/Reason/bodyNotReplayable``.
///
/// Throws ``AWSSignatureError``, and what the provider throws; nothing is sent then.
public struct AWSSignature: Middleware {
  /// Returns the credentials for a request; nil sends it unsigned. Called for each request, and maybe concurrently: a provider of
  /// temporary credentials renews them here.
  public typealias Provider = @Sendable (Request) async throws -> AWSCredentials?

  private let scope: AWSScope
  private let now: @Sendable () -> Date
  private let provider: Provider

  /// Signs with the same credentials always.
  ///
  /// - Parameters:
  ///   - scope: provider, region and service.
  ///   - now: the clock; a server refuses a date that is minutes off.
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
    let failure = { (reason: AWSSignatureError.Reason) in AWSSignatureError(reason: reason, request: RequestSummary(original)) }
    let host = URLParts(request.url.absoluteString).host
    guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }) else { throw failure(.invalidHost) }
    let scope: AWSScope.Resolved
    do { scope = try self.scope.resolved(for: request.url) } catch { throw failure(error) }

    guard Self.isAccessKey(credentials.accessKey) else { throw failure(.invalidAccessKey) }
    guard let target = AWSCanonicalRequest.Target(request) else { throw failure(.invalidTarget) }
    let date = request.headers[scope.fieldName("Date")] ?? Timestamp.basic(now())
    guard Self.isDate(date) else { throw failure(.invalidDate) }
    try request.headers.set(scope.fieldName("Date"), date)
    if let token = credentials.sessionToken, !token.isEmpty { try request.headers.set(scope.fieldName("Security-Token"), token) }
    let hash: String
    if let own = request.headers[scope.fieldName("Content-Sha256")] {
      hash = own
    } else {
      do { hash = try await payloadHash(of: request, scope: scope) } catch let reason as AWSSignatureError.Reason {
        throw failure(reason)
      }
      if scope.isS3 || hash == Self.unsigned { try request.headers.set(scope.fieldName("Content-Sha256"), hash) }
    }
    let canonical = AWSCanonicalRequest(
      request, target, host: Self.withoutDefaultPort(host, request.url), payloadHash: hash, scope: scope)
    let scopeText = "\(date.prefix(8))/\(scope.region)/\(scope.service)/\(scope.terminator)"
    let key = [String(date.prefix(8)), scope.region, scope.service, scope.terminator].reduce(
      Array((scope.upper + "4" + credentials.secretKey).utf8)
    ) { SHA256.authentication(of: $1.utf8, key: $0) }
    let algorithm = scope.upper + "4-HMAC-SHA256"
    let text = [algorithm, date, scopeText, SHA256.hash(canonical.bytes).hexadecimal].joined(separator: "\n")
    let signature = SHA256.authentication(of: text.utf8, key: key).hexadecimal
    try request.headers.authorize(
      Credentials(
        "\(algorithm) Credential=\(credentials.accessKey)/\(scopeText), SignedHeaders=\(canonical.signedHeaders), "
          + "Signature=\(signature)"))
    return request
  }

  private static let unsigned = "UNSIGNED-PAYLOAD"

  private func payloadHash(of request: Request, scope: AWSScope.Resolved) async throws -> String {
    if let data = request.body.data {
      var hash = SHA256()
      hash.update(data.span)
      return hash.finish().hexadecimal
    }
    guard request.body.isStreamed else { throw AWSSignatureError.Reason.bodyNotEncoded }
    if scope.isS3, request.isSecure { return Self.unsigned }
    guard request.body.isReplayable else { throw AWSSignatureError.Reason.bodyNotReplayable }
    var hash = SHA256()
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

  /// Whether it can stand in the field: not with what separates its parts.
  private static func isAccessKey(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/,=".utf8.contains($0) }
  }

  /// Whether it is `20150830T123600Z`, as far as the signature needs it.
  private static func isDate(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 16 && bytes[8] == UInt8(ascii: "T") && bytes[15] == UInt8(ascii: "Z")
      && (bytes[..<8] + bytes[9..<15]).allSatisfy(\.isDigit)
  }

  /// The host and port as they stand in the `Host` field.
  private static func withoutDefaultPort(_ host: Substring, _ url: URL) -> String {
    let port = url.scheme?.lowercased() == "https" ? ":443" : ":80"
    return String(host.hasSuffix(port) ? host.dropLast(port.count) : host.hasSuffix(":") ? host.dropLast() : host)
  }
}

/// A request that could not be signed. Nothing was sent.
public struct AWSSignatureError: FaradayError, Hashable {
  /// Why a request could not be signed.
  public enum Reason: FaradayError, Hashable {
    /// The scope names no service, and the host has no label to take it from.
    case missingService
    /// The scope names no region, and the host has no label to take it from.
    case missingRegion
    /// A provider, region or service is empty, too long, or has characters that a signature cannot have.
    case invalidScope
    /// The host is not ASCII.
    case invalidHost
    /// The access key is empty, or has a character that the `Authorization` field cannot have in it.
    case invalidAccessKey
    /// The request target (``FaradayCore/RequestTarget/verbatim(_:)``) is no path with an optional query.
    case invalidTarget
    /// The request's own date is not of the form `20150830T123600Z`.
    case invalidDate
    /// The body is a value that no middleware above has encoded.
    case bodyNotEncoded
    /// The body would have to be read for its hash and again to be sent, and can be read only once.
    case bodyNotReplayable

    public var description: String {
      switch self {
      case .missingService: "the service is neither given nor the first part of the host name"
      case .missingRegion: "the region is neither given nor the second part of the host name"
      case .invalidScope:
        "a provider, region or service is empty, longer than 64 bytes, or has other characters than A-Z, 0-9 and -._"
      case .invalidHost: "the host name is not ASCII"
      case .invalidAccessKey: "the access key is empty, or has other characters than those of visible ASCII without / , and ="
      case .invalidTarget: "the request target is not a path, with or without a query"
      case .invalidDate: "the date that the request has is not of the form 20150830T123600Z"
      case .bodyNotEncoded: "the body is not encoded yet: place the signature below the middleware that encodes it"
      case .bodyNotReplayable:
        "the body can be read only once: set its SHA-256 in X-Amz-Content-Sha256, or send a file or bytes"
      }
    }
  }

  /// Why the request could not be signed.
  public let reason: Reason
  /// The request; nil where a scope was parsed.
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
