public import FaradayCore

/// A typed request: describes a request and how its response is decoded. Use ``TypedRequest``, or a type of your own for each
/// request.
///
///     struct UserByID: RequestConvertible {
///       let id: Int
///       var baseURL: String { "https://api.example.com" }
///       var endpoint: String { "users/\(id)" }
///       var responseDecoder: ResponseDecoder<User> { .json() }
///     }
///     let user = try await connection.perform(UserByID(id: 42)).value
public protocol RequestConvertible<Resource>: Sendable, CustomStringConvertible, CustomReflectable {
  /// What the response is decoded to.
  associatedtype Resource: Sendable

  /// The URL that the endpoint is appended to; its path and query are kept, whatever the connection's ``FaradayCore/URLJoining``.
  ///
  /// A request whose base URL is cross-origin to the connection's (another scheme, host or port) is sent without the connection's
  /// header fields, and no middleware adds credentials: it has those of its own ``authenticationProvider`` only. The
  /// ``FaradayCore/UnexpectedStatus`` of a 401 then says so. Each environment has a connection of its own, or one without a URL.
  var baseURL: String { get }
  /// A path, which may have a query; empty for the base URL itself. It is joined with exactly one slash.
  var endpoint: String { get }
  /// Decodes the response. `Void`, `String` and `Data` have a default.
  var responseDecoder: ResponseDecoder<Resource> { get }

  /// The method. GET by default.
  var method: HTTPRequest.Method { get }
  /// The header fields. None by default.
  var headers: HTTPFields { get }
  /// Query items, appended to those of the base URL and the endpoint. None by default.
  var query: QueryParameters { get }
  /// Encodes the body. ``BodyProvider/none`` by default.
  var bodyProvider: BodyProvider { get }
  /// Sets the credentials. ``AuthenticationProvider/none`` by default.
  var authenticationProvider: AuthenticationProvider { get }
  /// Validates the response before it is decoded. ``ResponseValidator/successful`` by default: 2xx.
  var responseValidator: ResponseValidator { get }
  /// Changes the connection's options for this request. Does nothing by default.
  func configure(_ options: inout Options)
}

extension RequestConvertible {
  /// GET.
  public var method: HTTPRequest.Method { .get }
  /// None.
  public var headers: HTTPFields { [:] }
  /// None.
  public var query: QueryParameters { [:] }
  /// No body.
  public var bodyProvider: BodyProvider { .none }
  /// No credentials.
  public var authenticationProvider: AuthenticationProvider { .none }
  /// Accepts 2xx.
  public var responseValidator: ResponseValidator { .successful }
  /// Changes nothing.
  public func configure(_ options: inout Options) {}

  /// `GET https://api.example.com/users/42 -> User`: the resource's type, unless it is `Void`, and the URL without any query, so that
  /// it contains no secret. No provider is called.
  public var description: String {
    "\(method) \(shownURL)" + (Resource.self == Void.self ? "" : " -> \(Resource.self)")
  }

  package var shownURL: String {
    let url = URLJoining.append.join(endpoint, to: baseURL)
    return url.map { String(Secrets().redacting($0).prefix { $0 != "?" }) } ?? "(no URL)"
  }

  /// Without children: `dump` and mirrors show no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RequestConvertible<Void> {
  /// Ignores the body.
  public var responseDecoder: ResponseDecoder<Void> { .none }
}

extension RequestConvertible<String> {
  /// Decodes the body as text.
  public var responseDecoder: ResponseDecoder<String> { .text }
}

extension RequestConvertible<Data> {
  /// The bytes of the body.
  public var responseDecoder: ResponseDecoder<Data> { .data }
}
