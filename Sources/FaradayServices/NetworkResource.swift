public import FaradayCore
internal import FaradayPromises
public import FaradayRequests

/// A request of a service with what loads it, as a value: each modifier gives a changed copy.
///
/// Modifiers do not fail. What is wrong with one is kept, and thrown when the resource is loaded; nothing is sent then.
public struct NetworkResource: ServiceResource {
  /// What loads it.
  public let network: any WebServiceNetworkInterface
  /// Labels, for cancelling in groups, and for constraints and interceptors, who see them as ``FaradayCore/Options/tags``.
  public internal(set) var tags: Set<String> = []
  /// What is given in the place of the server's response; nil if the resource is sent.
  public internal(set) var mock: ResourceMock?
  /// What was wrong with the first modifier that was; see ``ServiceResource/failing(with:)``.
  public internal(set) var creationError: (any Error)?
  /// Whether it is of another origin than its service.
  var isCrossOrigin = false
  var callbackContext = CallbackContext.immediate
  var wanted: TypedRequest<Response>

  public var networkResource: NetworkResource {
    get { self }
    set { self = newValue }
  }

  /// - Parameter path: put behind the server's URL; a query in it is kept.
  public init(
    _ method: HTTPRequest.Method, serverURL: String, path: String = "", network: any WebServiceNetworkInterface
  ) {
    self.init(TypedRequest<Void>(method, baseURL: serverURL, endpoint: path), network: network)
  }

  /// A resource of a typed request. Its decoder and its validator are left out: here, that is for the network and the loading
  /// to say.
  public init<Resource>(_ request: TypedRequest<Resource>, network: any WebServiceNetworkInterface) {
    wanted = request.receiving(.response)
    self.network = network
  }

  /// As much of the request as there is without what failed, with that failure. Throws if there is not even a URL.
  func request(failing error: any Error, for connection: Connection?) throws -> Request {
    let bare = TypedRequest(wanted.method, baseURL: wanted.baseURL, endpoint: wanted.endpoint)
    var request = try self.request(of: bare, for: connection)
    request.options.creationError = error
    return request
  }

  /// The request with what the connection and the resource say of it.
  func request(of wanted: some RequestConvertible, for connection: Connection?) throws -> Request {
    // A connection that has a URL knows itself who is foreign to it; one that has none would give its headers to anybody.
    let isCrossOrigin = isCrossOrigin && connection?.url == nil
    var connection = connection
    if isCrossOrigin { connection?.headers = [:] }
    var request = try wanted.request(for: connection)
    if isCrossOrigin { request.markCrossOrigin() }
    if !tags.isEmpty { request.options.tags.formUnion(tags) }
    if let mock { request.options.mock = mock }
    return request
  }
}

extension Options {
  /// Labels of a service's resource; none by default.
  public var tags: Set<String> {
    get { self[Tags.self] }
    set { self[Tags.self] = newValue }
  }

  /// Why there is no request.
  var creationError: (any Error)? {
    get { self[CreationError.self] }
    set { self[CreationError.self] = newValue }
  }

  /// What to answer without sending.
  var mock: ResourceMock? {
    get { self[Mock.self] }
    set { self[Mock.self] = newValue }
  }

  private enum Tags: OptionKey { static let defaultValue: Set<String> = [] }
  private enum CreationError: OptionKey { static let defaultValue: (any Error)? = nil }
  private enum Mock: OptionKey { static let defaultValue: ResourceMock? = nil }
}
