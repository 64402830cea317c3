public import FaradayCore

/// Talks to a REST service: typed requests to typed endpoints, over a connection with the service's base URL.
///
///     let client = try RestingClient("https://api.example.com/v2", adapter: CurlAdapter())
///     let getUser = Endpoint<Nothing, User>(.get, "/users/{id}", encoding: .query)
///     let user = try await client.perform(RestingRequest(endpoint: getUser, pathVariables: ["id": 42])).value
///
/// A request is converted, passes the interceptors in their order, then the connection's own middleware and its adapter; its
/// response comes back in the reverse order, its status is checked, its body decoded. A logger stands last in the list to see
/// what the others have made of a request.
///
/// Interceptors are ``FaradayCore/Middleware``: each may change the request and the response, answer by itself, send several
/// times, and recover from errors. Any status is a response to them; ``FaradayCore/UnexpectedStatus`` is thrown after them.
///
/// For those who knew RestingKit: `HTTPClient` is ``FaradayCore/Adapter``, `RestingInterceptor` is ``FaradayCore/Middleware``,
/// `HTTPResponse` is ``FaradayRequests/TypedResponse``, `HTTPError` is ``FaradayCore/UnexpectedStatus``, `MultipartFile` is
/// ``FaradayCoding/FormFile``, `QueryParameterEncoder` is ``FaradayCoding/QueryEncoder``, `MultipartFormDataEncoder` is
/// ``FaradayCoding/MultipartFormEncoder``, and `RequestResponseLoggingInterceptor` is `ExchangeLogger`.
public struct RestingClient: Sendable {
  /// What requests go over, interceptors included.
  public let connection: Connection
  /// Reads the outputs.
  public let decoder: JSONDecoder
  /// Makes what is sent.
  public let converter: any RequestConverter

  /// A client over a connection, whose base URL is that of the service; its path is kept, whatever the connection's
  /// ``FaradayCore/URLJoining``.
  ///
  /// - Parameter interceptors: they stand above the connection's own middleware, the first one first.
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

  /// A client of the service at this URL. Throws ``FaradayCore/TransportError/Code/invalidURL`` if it is none.
  public init(
    _ baseURL: String, adapter: any Adapter, decoder: JSONDecoder = JSONDecoder(),
    converter: any RequestConverter = RestingRequestConverter(), interceptors: [any Middleware] = []
  ) throws {
    self.init(
      try Connection(baseURL, adapter: adapter), decoder: decoder, converter: converter, interceptors: interceptors)
  }
}
