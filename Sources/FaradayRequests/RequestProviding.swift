public import FaradayCore

/// An API: its base URL, and what its requests have in common.
///
///     enum Example: RequestProviding {
///       case production, staging
///       var baseURL: String { self == .production ? "https://api.example.com/v2" : "https://staging.example.com/v2" }
///       func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
///         baseRequest(to: endpoint, using: method).authenticated(with: .bearer(token))
///       }
///     }
///     let user = try await connection.perform(Example.production.get(.json(User.self), from: "users/42")).value
public protocol RequestProviding: Sendable {
  /// The URL that endpoints are appended to. A connection with a URL of another origin sends it no credentials of its own, see
  /// ``RequestConvertible/baseURL``.
  var baseURL: String { get }
  /// The request that all requests of the API are built on; ``baseRequest(to:using:)`` by default.
  func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void>
}

extension RequestProviding {
  /// The base request, unchanged.
  public func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    baseRequest(to: endpoint, using: method)
  }

  /// A request with a method and a URL, and nothing else.
  public func baseRequest(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    TypedRequest(method, baseURL: baseURL, endpoint: endpoint)
  }

  /// A GET request for a resource.
  public func get<Resource>(_ decoder: ResponseDecoder<Resource>, from endpoint: String) -> TypedRequest<Resource> {
    request(to: endpoint, using: .get).receiving(decoder)
  }

  /// A POST request with a body.
  public func post(_ body: BodyProvider, to endpoint: String) -> TypedRequest<Void> {
    request(to: endpoint, using: .post).sending(body)
  }

  /// A PUT request with a body.
  public func put(_ body: BodyProvider, to endpoint: String) -> TypedRequest<Void> {
    request(to: endpoint, using: .put).sending(body)
  }

  /// A PATCH request with a body.
  public func patch(_ endpoint: String, with body: BodyProvider) -> TypedRequest<Void> {
    request(to: endpoint, using: .patch).sending(body)
  }

  /// A DELETE request.
  public func delete(_ endpoint: String) -> TypedRequest<Void> { request(to: endpoint, using: .delete) }

  /// A HEAD request.
  public func head(_ endpoint: String) -> TypedRequest<Void> { request(to: endpoint, using: .head) }
}

/// An API with a base URL, and nothing else in common.
public struct AnonymousRequestProvider: RequestProviding {
  /// The URL that endpoints are appended to.
  public let baseURL: String

  /// An API with this base URL.
  public init(baseURL: String) { self.baseURL = baseURL }
}
