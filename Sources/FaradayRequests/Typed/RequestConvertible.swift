public import FaradayCore

/// A typed request: describes a request and the decoding of its response. Use ``TypedRequest``, or a custom type for each
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
  /// The type of the decoded response.
  associatedtype Resource: Sendable

  /// The URL to which the endpoint is appended. Its path and query are kept, regardless of the connection's
  /// ``FaradayCore/URLJoining``.
  ///
  /// A request whose base URL is cross-origin to the connection's (another scheme, host or port) is sent without the
  /// connection's header fields, and no middleware adds credentials: it has only the credentials of its
  /// ``credentialsProvider``. The ``FaradayCore/StatusError`` of a 401 then mentions this. Use a separate connection
  /// for each environment, or a connection without a URL.
  var baseURL: String { get }
  /// A path, which can have a query; empty for the base URL itself. It is joined with exactly one slash.
  var endpoint: String { get }
  /// Decodes the response. `Void`, `String` and `Data` have a default.
  var responseDecoder: ResponseDecoder<Resource> { get }

  /// The method. GET by default.
  var method: HTTPRequest.Method { get }
  /// The header fields. None by default.
  var headers: HTTPFields { get }
  /// Query items, appended to the items of the base URL and the endpoint. None by default.
  var query: QueryParameters { get }
  /// Encodes the body. ``BodyProvider/none`` by default.
  var bodyProvider: BodyProvider { get }
  /// Sets the credentials. ``CredentialsProvider/none`` by default.
  var credentialsProvider: CredentialsProvider { get }
  /// Validates the response before it is decoded. ``ResponseValidator/successful`` by default: 2xx.
  var responseValidator: ResponseValidator { get }
  /// Changes the connection's options for this request. Does nothing by default.
  func configure(_ options: inout Options)
}

extension RequestConvertible {
  /// GET by default.
  public var method: HTTPRequest.Method { .get }
  /// None by default.
  public var headers: HTTPFields { [:] }
  /// None by default.
  public var query: QueryParameters { [:] }
  /// No body by default.
  public var bodyProvider: BodyProvider { .none }
  /// No credentials by default.
  public var credentialsProvider: CredentialsProvider { .none }
  /// Accepts 2xx by default.
  public var responseValidator: ResponseValidator { .successful }
  /// Changes nothing by default.
  public func configure(_ options: inout Options) {}

  /// `GET https://api.example.com/users/42 -> User`: the URL without its query, so that it contains no secret, and the
  /// resource's type, unless it is `Void`. No provider is called.
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
  /// Returns the bytes of the body.
  public var responseDecoder: ResponseDecoder<Data> { .data }
}
