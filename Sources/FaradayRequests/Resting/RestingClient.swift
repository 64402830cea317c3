public import FaradayCore
public import FaradayPromises

/// A client for a REST API: sends typed requests to typed endpoints, over a connection with the API's base URL.
///
///     let client = try RestingClient("https://api.example.com/v2", adapter: CurlAdapter())
///     let getUser = Endpoint<Void, User>(.get, "/users/{id}")
///     let user = try await client.perform(RestingRequest(endpoint: getUser, variables: ["id": 42])).value
///
/// A request is converted, then passes the interceptors in order, the connection's middleware and the adapter. The response
/// passes them in reverse order, then its status is checked and its body decoded. Place a logger last in the list to log a
/// request with the changes of all other interceptors.
///
/// Interceptors are ``FaradayCore/Middleware``: each can change the request and the response, return a response without
/// sending, retry, and recover from errors. They get responses with any status; ``FaradayCore/StatusError`` is thrown
/// after them.
///
/// For users of RestingKit: `HTTPClient` is ``FaradayCore/Adapter``, `RestingInterceptor` is ``FaradayCore/Middleware``,
/// `HTTPResponse` is ``FaradayRequests/TypedResponse``, `HTTPError` is ``FaradayCore/StatusError``, `MultipartFile` is
/// ``FaradayCoding/FormFile``, `QueryParameterEncoder` is ``FaradayCoding/QueryEncoder``, `MultipartFormDataEncoder` is
/// ``FaradayCoding/MultipartFormEncoder``, and `RequestResponseLoggingInterceptor` is `ExchangeLogger`.
public struct RestingClient: Sendable {
  /// The connection for the requests, including interceptors.
  public let connection: Connection
  /// Decodes the outputs; nil means the ``FaradayCore/Options/jsonDecoder`` of the connection.
  public let decoder: JSONDecoder?
  /// Converts requests to HTTP requests.
  public let converter: any RequestConverter

  /// Creates a client over a connection with the API's base URL. Paths are always appended to that URL, regardless of the
  /// connection's
  /// ``FaradayCore/URLJoining``.
  ///
  /// - Parameter interceptors: middleware above the connection's middleware, the first one outermost.
  public init(
    _ connection: Connection, decoder: JSONDecoder? = nil,
    converter: any RequestConverter = RestingRequestConverter(), interceptors: [any Middleware] = []
  ) {
    var connection = connection
    connection.joining = .append
    connection.stack = Stack(interceptors + connection.stack.middleware, adapter: connection.stack.adapter)
    self.connection = connection
    self.decoder = decoder
    self.converter = converter
  }

  /// Creates a client for the API at this base URL. Throws ``FaradayCore/TransportError/Code/invalidURL`` if it is not a URL.
  public init(
    _ baseURL: String, adapter: any Adapter, decoder: JSONDecoder? = nil,
    converter: any RequestConverter = RestingRequestConverter(), interceptors: [any Middleware] = []
  ) throws {
    self.init(
      try Connection(baseURL, adapter: adapter), decoder: decoder, converter: converter, interceptors: interceptors)
  }
}

extension RestingClient {
  /// The client as the source of promises: `client.promise { try await $0.perform(request) }`.
  public var promise: Promising<RestingClient> { Promising(self) }
}
