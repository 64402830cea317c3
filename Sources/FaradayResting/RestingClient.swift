public import FaradayCore

/// A client for a REST API: sends typed requests to typed endpoints, over a connection with the API's base URL.
///
///     let client = try RestingClient("https://api.example.com/v2", adapter: CurlAdapter())
///     let getUser = Endpoint<Nothing, User>(.get, "/users/{id}", encoding: .query)
///     let user = try await client.perform(RestingRequest(endpoint: getUser, pathVariables: ["id": 42])).value
///
/// A request is converted, then passes the interceptors in order, the connection's own middleware and the adapter; the response
/// passes them in reverse order, then its status is checked and its body decoded. Place a logger last in the list to log what
/// the others have made of a request.
///
/// Interceptors are ``FaradayCore/Middleware``: each may change the request and the response, answer without sending, send
/// again, and recover from errors. To them every status is a response; ``FaradayCore/UnexpectedStatus`` is thrown after them.
///
/// For users of RestingKit: `HTTPClient` is ``FaradayCore/Adapter``, `RestingInterceptor` is ``FaradayCore/Middleware``,
/// `HTTPResponse` is ``FaradayRequests/TypedResponse``, `HTTPError` is ``FaradayCore/UnexpectedStatus``, `MultipartFile` is
/// ``FaradayCoding/FormFile``, `QueryParameterEncoder` is ``FaradayCoding/QueryEncoder``, `MultipartFormDataEncoder` is
/// ``FaradayCoding/MultipartFormEncoder``, and `RequestResponseLoggingInterceptor` is `ExchangeLogger`.
public struct RestingClient: Sendable {
  /// The connection that requests are sent over, interceptors included.
  public let connection: Connection
  /// Decodes the outputs.
  public let decoder: JSONDecoder
  /// Converts requests to HTTP requests.
  public let converter: any RequestConverter

  /// A client over a connection with the API's base URL. Paths are always appended to it, whatever the connection's
  /// ``FaradayCore/URLJoining``.
  ///
  /// - Parameter interceptors: middleware above that of the connection, the first one outermost.
  public init(
    _ connection: Connection, decoder: JSONDecoder = JSONDecoder(),
    converter: any RequestConverter = RestingRequestConverter(), interceptors: [any Middleware] = []
  ) {
    var connection = connection
    connection.joining = .append
    connection.stack = Stack(interceptors + connection.stack.middleware, adapter: connection.stack.adapter)
    self.connection = connection
    self.decoder = decoder
    self.converter = converter
  }

  /// A client for the API at this base URL. Throws ``FaradayCore/TransportError/Code/invalidURL`` if it is not a URL.
  public init(
    _ baseURL: String, adapter: any Adapter, decoder: JSONDecoder = JSONDecoder(),
    converter: any RequestConverter = RestingRequestConverter(), interceptors: [any Middleware] = []
  ) throws {
    self.init(
      try Connection(baseURL, adapter: adapter), decoder: decoder, converter: converter, interceptors: interceptors)
  }
}
