public import FaradayCore
internal import FaradayPromises

/// A request of a service with its network, as a value: modifiers return a changed copy.
///
/// Modifiers do not throw. The error of an invalid modifier is stored, and thrown when the resource is loaded; nothing is sent
/// then.
public struct NetworkResource: ServiceResource {
  /// The network that loads the resource.
  public let network: any WebServiceNetworkInterface
  /// Labels to cancel resources in groups. Constraints and interceptors see them as ``FaradayCore/Options/tags``.
  public internal(set) var tags: Set<String> = []
  /// The mock response; nil if the resource is sent over the network.
  public internal(set) var mock: ResourceMock?
  /// The error of the first invalid modifier; see ``ServiceResource/failing(with:)``.
  public internal(set) var creationError: (any Error)?
  /// Whether its origin differs from its service's.
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

  /// Creates a resource from a typed request. Its decoder and validator are ignored: the network and the loading method
  /// determine them.
  public init<Resource>(_ request: TypedRequest<Resource>, network: any WebServiceNetworkInterface) {
    wanted = request.receiving(.response)
    self.network = network
  }

  /// Returns the request as far as it can be built, with the error that must be thrown for it. Throws if it has no valid URL.
  func request(failing error: any Error, for connection: Connection?) throws -> Request {
    let bare = TypedRequest(wanted.method, baseURL: wanted.baseURL, endpoint: wanted.endpoint)
    var request = try self.request(of: bare, for: connection)
    request.options.creationError = error
    return request
  }

  /// Returns the request with the options of the connection and the resource.
  func request(of wanted: some RequestConvertible, for connection: Connection?) throws -> Request {
    // A connection with a URL detects cross-origin requests. One without a URL would send its headers to any server.
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
  /// The error that prevented the building of the request.
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
