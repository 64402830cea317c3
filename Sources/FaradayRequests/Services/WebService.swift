public import FaradayCore

/// A web service: its base URL, its network, and its requests as methods.
///
///     struct Users: WebService {
///       let serverURL = "https://api.example.com/v2"
///       let network: any WebServiceNetworkInterface
///
///       func user(_ id: Int) -> NetworkResource { server.get("users/\(id)") }
///       func add(_ user: User) -> NetworkResourceWithBody { server.post("users").json(user) }
///     }
///     let users = Users(network: ServiceNetwork(connection))
///     let user = try await users.user(42).loadJSON(User.self)
///
/// A resource is a value: creating it sends nothing, and it can be loaded any number of times.
public protocol WebService: Sendable {
  /// The base URL, to which paths are appended; its path and query are kept.
  var serverURL: String { get }
  /// The network that loads the resources: a ``ServiceNetwork``, or a custom network.
  var network: any WebServiceNetworkInterface { get }
}

extension WebService {
  /// The root of the service's resources.
  public var server: ServiceRoot { customResource(at: serverURL) }

  /// Returns the root of resources at another URL. If its origin (scheme, host and port) differs from that of ``serverURL``,
  /// requests are cross-origin, see ``FaradayCore/Request/isCrossOrigin``: they are sent without the headers of the network's
  /// connection and the credentials that its middleware adds, unless the connection's URL has that origin. Fields and
  /// credentials that are set on the resource are kept.
  public func customResource(at url: String) -> ServiceRoot { ServiceRoot(url: url, home: serverURL, network: network) }
}

/// Loads the resources of services.
public protocol WebServiceNetworkInterface: Sendable {
  /// Loads the resource, and returns the response. The implementation decides which statuses are errors; ``ServiceNetwork``
  /// throws ``FaradayCore/StatusError`` for all except 2xx.
  ///
  /// ``ServiceResource/request(for:)`` is the request to send. A resource that has a ``NetworkResource/mock`` must not be sent.
  func load(_ resource: NetworkResource) async throws -> Response
}
