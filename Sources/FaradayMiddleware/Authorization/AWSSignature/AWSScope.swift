internal import FaradayCore

/// The scope of a signature: provider, region and service.
public struct AWSScope: Sendable, Hashable {
  /// The name in the algorithm (`AWS4-HMAC-SHA256`), the scope's end (`aws4_request`) and the signing key: `aws`.
  public var provider: String
  /// The name in the header fields (`X-Amz-Date`): `amz`.
  public var headerProvider: String
  /// The region, `us-east-1`; nil uses the second part of the host name, as in `service.region.amazonaws.com`.
  public var region: String?
  /// The service, `s3`, which is signed in lower case; nil uses the first part of the host name.
  public var service: String?

  /// Creates a scope. The provider is AWS by default.
  public init(region: String? = nil, service: String? = nil, provider: String = "aws", headerProvider: String = "amz") {
    self.region = region
    self.service = service
    self.provider = provider
    self.headerProvider = headerProvider
  }

  /// Parses the argument of `curl --aws-sigv4`: `provider1[:provider2[:region[:service]]]`. Without a second provider the first
  /// is used for both: `osc` signs with `OSC4-HMAC-SHA256` and sends `X-Osc-Date`. Throws ``AWSSignatureError`` for empty
  /// parts.
  public init(parsing text: String) throws(AWSSignatureError) {
    let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard parts.allSatisfy(Self.isValid) else { throw AWSSignatureError(reason: .invalidScope, request: nil) }
    self.init(
      region: parts.count > 2 ? parts[2] : nil, service: parts.count > 3 ? parts[3] : nil, provider: parts[0],
      headerProvider: parts.count > 1 ? parts[1] : parts[0])
  }

  /// The maximum lengths are curl's.
  private static func isValid(_ part: String) -> Bool {
    (1...64).contains(part.utf8.count)
      && part.utf8.allSatisfy { $0.isDigit || (0x61...0x7A).contains($0.asciiLowercased) || "-._".utf8.contains($0) }
  }

  /// A scope for one request, with all parts.
  struct Resolved {
    let region: String
    let service: String
    /// `AWS`
    let upper: String
    /// `aws4_request`
    let terminator: String
    /// `Amz`
    private let headerName: String

    fileprivate init(_ scope: AWSScope, region: String, service: String) {
      self.region = region
      self.service = service
      upper = scope.provider.uppercased()
      terminator = scope.provider.lowercased() + "4_request"
      headerName = scope.headerProvider.prefix(1).uppercased() + scope.headerProvider.dropFirst().lowercased()
    }

    /// Whether the rules of S3 apply: the path is encoded once, and the body's hash is sent.
    var isS3: Bool { service == "s3" || service.hasPrefix("s3-") || service == "s3express" }

    /// `X-Amz-Date`
    func fieldName(_ name: String) -> String { "X-\(headerName)-\(name)" }

  }

  /// Takes a missing region or service from the host name, as curl does.
  func resolved(for url: URL, of request: RequestSummary?) throws(AWSSignatureError) -> Resolved {
    func failure(_ reason: AWSSignatureError.Reason) -> AWSSignatureError { AWSSignatureError(reason: reason, request: request) }
    let host = url.host(percentEncoded: false)?.lowercased() ?? ""
    let labels = host.contains(":") ? [] : host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let service = service ?? (labels.count > 1 ? labels[0] : nil) else { throw failure(.missingService) }
    guard let region = region ?? (labels.count > 2 ? labels[1] : nil) else { throw failure(.missingRegion) }
    guard [provider, headerProvider, region, service].allSatisfy(Self.isValid) else { throw failure(.invalidScope) }
    return Resolved(self, region: region, service: service.lowercased())
  }
}
