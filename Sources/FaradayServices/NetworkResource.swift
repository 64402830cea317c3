public import FaradayCore
internal import FaradayPromises
public import FaradayRequests

/// A request of a service together with the network that loads it, as a value: modifiers return a changed copy.
///
/// Modifiers do not throw. The error of an invalid one is stored, and thrown when the resource is loaded; nothing is sent then.
public struct NetworkResource: ServiceResource {
  /// Loads the resource.
  public let network: any WebServiceNetworkInterface
  /// Labels, for cancelling resources in groups. Constraints and interceptors see them as ``FaradayCore/Options/tags``.
  public internal(set) var tags: Set<String> = []
  /// The mock response; nil if the resource is sent.
  public internal(set) var mock: ResourceMock?
  /// The error of the first invalid modifier; see ``ServiceResource/failing(with:)``.
  public internal(set) var creationError: (any Error)?
  /// Whether it is of another origin than its service.
  var isCrossOrigin = false
  var callbackContext = CallbackContext.immediate
  var wanted: TypedRequest<Response>

  /// The resource itself.
  public var networkResource: NetworkResource {
    get { self }
    set { self = newValue }
  }

  /// - Parameter path: appended to the server's URL; its query is kept.
  public init(
    _ method: HTTPRequest.Method, serverURL: String, path: String = "", network: any WebServiceNetworkInterface
  ) {
    self.init(TypedRequest<Void>(method, baseURL: serverURL, endpoint: path), network: network)
  }

  /// A resource of a typed request. Its decoder and validator are ignored: the network and the loading method decide about
  /// these.
  public init<Resource>(_ request: TypedRequest<Resource>, network: any WebServiceNetworkInterface) {
    wanted = request.receiving(.response)
    self.network = network
  }

  /// The request as far as it can be built, with the error that is to be thrown for it. Throws if there is not even a URL.
  func request(failing error: any Error, for connection: Connection?) throws -> Request {
    let bare = TypedRequest(wanted.method, baseURL: wanted.baseURL, endpoint: wanted.endpoint)
    var request = try self.request(of: bare, for: connection)
    request.options.creationError = error
    return request
  }

  /// The request with the options of the connection and the resource.
  func request(of wanted: some RequestConvertible, for connection: Connection?) throws -> Request {
    // A connection that has a URL knows itself who is foreign to it; one that has none would give its headers to anybody.
    let isCrossOrigin = isCrossOrigin && connection?.url == nil
    var connection = connection
    if isCrossOrigin {
      connection?.headers = [:]
      connection?.defaults.removeCredentials()
    }
    var request = try wanted.request(for: connection)
    if isCrossOrigin { request.markCrossOrigin() }
    if !tags.isEmpty { request.options.tags.formUnion(tags) }
    if let mock { request.options.mock = mock }
    return request
  }
}

extension Options {
  /// The error for which the request could not be built.
  var creationError: (any Error)? {
    get { self[CreationError.self] }
    set { self[CreationError.self] = newValue }
  }

  /// The mock response.
  var mock: ResourceMock? {
    get { self[Mock.self] }
    set { self[Mock.self] = newValue }
  }

  private enum CreationError: OptionKey { static let defaultValue: (any Error)? = nil }
  private enum Mock: OptionKey { static let defaultValue: ResourceMock? = nil }
}
