public import FaradayCore

/// A web service: its base URL, the network that it is loaded over, and its requests as methods.
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
/// A resource is a value: making one sends nothing, and it can be loaded any number of times.
public protocol WebService: Sendable {
  /// The base URL that paths are appended to; its path and query are kept.
  var serverURL: String { get }
  /// Loads the resources: a ``ServiceNetwork``, or a network of your own.
  var network: any WebServiceNetworkInterface { get }
}

extension WebService {
  /// The root of the service's resources.
  public var server: ServiceRoot { customResource(at: serverURL) }

  /// The root of resources at another URL. If its origin (scheme, host and port) differs from that of ``serverURL``, requests
  /// are cross-origin, see ``FaradayCore/Request/isCrossOrigin``: they are sent without the headers of the network's connection
  /// and the credentials that its middleware adds, unless the connection's own URL has that origin. What is set on the resource
  /// itself is kept.
  public func customResource(at url: String) -> ServiceRoot { ServiceRoot(url: url, home: serverURL, network: network) }
}

/// Loads the resources of services.
public protocol WebServiceNetworkInterface: Sendable {
  /// Loads the resource, and returns the response. The implementation decides which statuses are errors; ``ServiceNetwork``
  /// throws ``FaradayCore/UnexpectedStatus`` for all but 2xx.
  ///
  /// ``ServiceResource/request(for:)`` is the request to send. A resource that has a ``NetworkResource/mock`` must not be sent.
  func load(_ resource: NetworkResource) async throws -> Response
}
