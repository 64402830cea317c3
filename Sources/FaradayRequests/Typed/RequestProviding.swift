public import FaradayCore

/// An API: its base URL, and the common properties of its requests.
///
///     enum Example: RequestProviding {
///       case production, staging
///       var baseURL: String { self == .production ? "https://api.example.com/v2" : "https://staging.example.com/v2" }
///       func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
///         baseRequest(to: endpoint, using: method).authorized(with: .bearer(token))
///       }
///     }
///     let user = try await connection.perform(Example.production.get(.json(User.self), from: "users/42")).value
public protocol RequestProviding: Sendable {
  /// The URL to which endpoints are appended. A connection with a URL of another origin does not send its credentials there,
  /// see
  /// ``RequestConvertible/baseURL``.
  var baseURL: String { get }
  /// Returns the request on which all requests of the API are based; ``baseRequest(to:using:)`` by default.
  func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void>
}

extension RequestProviding {
  /// Returns the base request, unchanged.
  public func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    baseRequest(to: endpoint, using: method)
  }

  /// Returns a request with a method and a URL, and nothing else.
  public func baseRequest(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    TypedRequest(method, baseURL: baseURL, endpoint: endpoint)
  }

  /// Returns a GET request for a resource.
  public func get<Resource>(_ decoder: ResponseDecoder<Resource>, from endpoint: String) -> TypedRequest<Resource> {
    request(to: endpoint, using: .get).receiving(decoder)
  }

  /// Returns a POST request with a body.
  public func post(_ body: BodyProvider, to endpoint: String) -> TypedRequest<Void> {
    request(to: endpoint, using: .post).sending(body)
  }

  /// Returns a PUT request with a body.
  public func put(_ body: BodyProvider, to endpoint: String) -> TypedRequest<Void> {
    request(to: endpoint, using: .put).sending(body)
  }

  /// Returns a PATCH request with a body.
  public func patch(_ endpoint: String, with body: BodyProvider) -> TypedRequest<Void> {
    request(to: endpoint, using: .patch).sending(body)
  }

  /// Returns a DELETE request.
  public func delete(_ endpoint: String) -> TypedRequest<Void> { request(to: endpoint, using: .delete) }

  /// Returns a HEAD request.
  public func head(_ endpoint: String) -> TypedRequest<Void> { request(to: endpoint, using: .head) }
}

/// An API with a base URL, and no other common properties.
public struct AnonymousRequestProvider: RequestProviding {
  /// The URL to which endpoints are appended.
  public let baseURL: String

  /// Creates an API with this base URL.
  public init(baseURL: String) { self.baseURL = baseURL }
}
