public import FaradayCore

/// An API: where it is, and what its requests have in common.
///
///     enum Example: RequestProviding {
///       case production, staging
///       var baseURL: String { self == .production ? "https://api.example.com/v2" : "https://staging.example.com/v2" }
///       func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
///         baseRequest(to: endpoint, using: method).authenticated(with: .bearerToken(token))
///       }
///     }
///     let user = try await connection.perform(Example.production.get(.json(User.self), from: "users/42")).value
public protocol RequestProviding: Sendable {
  /// What endpoints are put behind.
  var baseURL: String { get }
  /// What every request of the API begins as; ``baseRequest(to:using:)`` unless you have your own.
  func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void>
}

extension RequestProviding {
  public func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    baseRequest(to: endpoint, using: method)
  }

  /// A request that has nothing but its method and its address.
  public func baseRequest(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    TypedRequest(method, baseURL: baseURL, endpoint: endpoint)
  }

  /// A GET of a resource.
  public func get<Resource>(_ decoder: ResponseDecoder<Resource>, from endpoint: String) -> TypedRequest<Resource> {
    request(to: endpoint, using: .get).receiving(decoder)
  }

  /// A POST of a body.
  public func post(_ body: BodyProvider, to endpoint: String) -> TypedRequest<Void> {
    request(to: endpoint, using: .post).sending(body)
  }

  /// A PUT of a body.
  public func put(_ body: BodyProvider, to endpoint: String) -> TypedRequest<Void> {
    request(to: endpoint, using: .put).sending(body)
  }

  /// A PATCH with a body.
  public func patch(_ endpoint: String, with body: BodyProvider) -> TypedRequest<Void> {
    request(to: endpoint, using: .patch).sending(body)
  }

  /// A DELETE.
  public func delete(_ endpoint: String) -> TypedRequest<Void> { request(to: endpoint, using: .delete) }

  /// A HEAD.
  public func head(_ endpoint: String) -> TypedRequest<Void> { request(to: endpoint, using: .head) }
}

/// An API that has nothing but an address.
public struct AnonymousRequestProvider: RequestProviding {
  public let baseURL: String

  public init(baseURL: String) { self.baseURL = baseURL }
}
