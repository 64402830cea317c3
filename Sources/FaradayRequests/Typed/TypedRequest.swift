public import FaradayCore

/// A request with the type of its decoded response, as a value: modifiers return a changed copy.
///
///     let newUser = api.post(.json(user), to: "users")
///       .adding(queryItem: .init("notify", "true"))
///       .receiving(.json(User.self))
///     let user = try await connection.perform(newUser).value
public struct TypedRequest<Resource: Sendable>: RequestConvertible {
  /// The URL to which the endpoint is appended; its path and query are kept.
  public var baseURL: String
  /// A path, which can have a query; joined with exactly one slash.
  public var endpoint: String
  /// The method.
  public var method: HTTPRequest.Method
  /// The header fields.
  public var headers: HTTPFields = [:]
  /// Query items, appended to the items of the base URL and the endpoint.
  public var query: QueryParameters = [:]
  /// Encodes the body.
  public var bodyProvider: BodyProvider = .none
  /// Decodes the response.
  public var responseDecoder: ResponseDecoder<Resource>
  /// Sets the credentials.
  public var credentialsProvider: CredentialsProvider = .none
  /// Validates the response before it is decoded. 2xx by default.
  public var responseValidator: ResponseValidator = .successful
  private var configurations: [@Sendable (inout Options) -> Void] = []

  /// Creates a request whose response is decoded by `decoder`.
  public init(
    _ method: HTTPRequest.Method = .get, baseURL: String, endpoint: String = "", receiving decoder: ResponseDecoder<Resource>
  ) {
    self.baseURL = baseURL
    self.endpoint = endpoint
    self.method = method
    responseDecoder = decoder
  }

  /// Creates a request that ignores the body of the response.
  public init(_ method: HTTPRequest.Method = .get, baseURL: String, endpoint: String = "") where Resource == Void {
    self.init(method, baseURL: baseURL, endpoint: endpoint, receiving: .none)
  }

  /// Applies the changes of ``configured(_:)``.
  public func configure(_ options: inout Options) {
    for configure in configurations { configure(&options) }
  }

  /// Sets the decoder, and thereby the type of the decoded response; everything else is kept.
  public func receiving<New>(_ decoder: ResponseDecoder<New>) -> TypedRequest<New> {
    var changed = TypedRequest<New>(method, baseURL: baseURL, endpoint: endpoint, receiving: decoder)
    changed.headers = headers
    changed.query = query
    changed.bodyProvider = bodyProvider
    changed.credentialsProvider = credentialsProvider
    changed.responseValidator = responseValidator
    changed.configurations = configurations
    return changed
  }

  /// Changes options such as timeouts, delivery and callbacks, in addition to the connection's.
  public func configured(_ configure: @escaping @Sendable (inout Options) -> Void) -> Self {
    changed { $0.configurations.append(configure) }
  }

  func changed(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
