public import FaradayCore

/// A request with the type of its resource, as a value: each modifier gives a changed copy.
///
///     let newUser = api.post(.json(user), to: "users")
///       .adding(queryItem: .init("notify", "true"))
///       .receiving(.json(User.self))
///     let user = try await connection.perform(newUser).value
public struct TypedRequest<Resource: Sendable>: RequestConvertible {
  public var baseURL: String
  public var endpoint: String
  public var method: HTTPRequest.Method
  public var headers: HTTPFields = [:]
  public var query: QueryParameters = [:]
  public var bodyProvider: BodyProvider = .none
  public var responseDecoder: ResponseDecoder<Resource>
  public var authenticationProvider: AuthenticationProvider = .none
  public var responseValidator: ResponseValidator = .successful
  private var configurations: [@Sendable (inout Options) -> Void] = []

  public init(
    _ method: HTTPRequest.Method = .get, baseURL: String, endpoint: String = "", receiving decoder: ResponseDecoder<Resource>
  ) {
    self.baseURL = baseURL
    self.endpoint = endpoint
    self.method = method
    responseDecoder = decoder
  }

  /// A request to an address that belongs to no API.
  public init(_ method: HTTPRequest.Method = .get, baseURL: String, endpoint: String = "") where Resource == Void {
    self.init(method, baseURL: baseURL, endpoint: endpoint, receiving: .none)
  }

  public func configure(_ options: inout Options) {
    for configure in configurations { configure(&options) }
  }

  /// The request with another resource, and all else kept.
  public func receiving<New>(_ decoder: ResponseDecoder<New>) -> TypedRequest<New> {
    var changed = TypedRequest<New>(method, baseURL: baseURL, endpoint: endpoint, receiving: decoder)
    changed.headers = headers
    changed.query = query
    changed.bodyProvider = bodyProvider
    changed.authenticationProvider = authenticationProvider
    changed.responseValidator = responseValidator
    changed.configurations = configurations
    return changed
  }

  /// The request with other options, put over the connection's: timeouts, delivery, callbacks.
  public func configured(_ configure: @escaping @Sendable (inout Options) -> Void) -> Self {
    changed { $0.configurations.append(configure) }
  }

  func changed(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
