public import FaradayCore

/// What can be made a request, and whose response is a resource: a ``TypedRequest``, or a type of your own for each request.
///
///     struct UserByID: RequestConvertible {
///       let id: Int
///       var baseURL: String { "https://api.example.com" }
///       var endpoint: String { "users/\(id)" }
///       var responseDecoder: ResponseDecoder<User> { .json() }
///     }
///     let user = try await connection.perform(UserByID(id: 42)).value
public protocol RequestConvertible<Resource>: Sendable, CustomStringConvertible, CustomReflectable {
  associatedtype Resource: Sendable

  /// What the endpoint is put behind; its path and query are kept.
  var baseURL: String { get }
  /// A path, with a query if it has one; empty for the base URL itself. One slash stands between the two, however many are
  /// given.
  var endpoint: String { get }
  /// What makes the resource of the response. `Void`, `String` and `Data` have theirs.
  var responseDecoder: ResponseDecoder<Resource> { get }

  /// GET by default.
  var method: HTTPRequest.Method { get }
  /// None by default.
  var headers: HTTPFields { get }
  /// Items behind those of the base URL and the endpoint; none by default.
  var query: QueryParameters { get }
  /// ``BodyProvider/none`` by default.
  var bodyProvider: BodyProvider { get }
  /// ``AuthenticationProvider/none`` by default.
  var authenticationProvider: AuthenticationProvider { get }
  /// ``ResponseValidator/successful`` by default.
  var responseValidator: ResponseValidator { get }
  /// Changes the connection's options for this request; by default it changes nothing.
  func configure(_ options: inout Options)
}

extension RequestConvertible {
  public var method: HTTPRequest.Method { .get }
  public var headers: HTTPFields { [:] }
  public var query: QueryParameters { [:] }
  public var bodyProvider: BodyProvider { .none }
  public var authenticationProvider: AuthenticationProvider { .none }
  public var responseValidator: ResponseValidator { .successful }
  public func configure(_ options: inout Options) {}

  /// `GET https://api.example.com/users/42`: without any query, so that no secret is in it. Nothing is run to say it.
  public var description: String { "\(method) \(shownURL)" }

  package var shownURL: String {
    let url = URLJoining.append.join(endpoint, to: baseURL)
    return url.map { String(Secrets().redacting($0).prefix { $0 != "?" }) } ?? "(no URL)"
  }

  /// Without children: `dump` and mirrors show no more than the description.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RequestConvertible<Void> {
  public var responseDecoder: ResponseDecoder<Void> { .none }
}

extension RequestConvertible<String> {
  public var responseDecoder: ResponseDecoder<String> { .text }
}

extension RequestConvertible<Data> {
  public var responseDecoder: ResponseDecoder<Data> { .data }
}
