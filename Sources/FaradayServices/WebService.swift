public import FaradayCore

/// A service on the web: where it is, what it is spoken to through, and its requests as functions.
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
  /// What paths are put behind; its own path and query are kept.
  var serverURL: String { get }
  /// What loads the resources: a ``ServiceNetwork``, or something of your own.
  var network: any WebServiceNetworkInterface { get }
}

extension WebService {
  /// Where the service's resources begin.
  public var server: ServiceRoot { customResource(at: serverURL) }

  /// The same for resources that are elsewhere. At another origin (scheme, host and port) than ``serverURL`` they are foreign,
  /// see ``FaradayCore/Request/isCrossOrigin``: they go without the headers of the network's connection and without the credentials
  /// that its middleware adds, unless the connection's own URL has that origin. What the resource itself has it keeps.
  public func customResource(at url: String) -> ServiceRoot { ServiceRoot(url: url, home: serverURL, network: network) }
}

/// Loads resources.
public protocol WebServiceNetworkInterface: Sendable {
  /// Gives the response, or throws. Whether a status is an error is its decision; ``ServiceNetwork`` throws
  /// ``FaradayCore/UnexpectedStatus`` for all but 2xx.
  ///
  /// ``ServiceResource/request(for:)`` is what is to be sent. A resource that has a ``NetworkResource/mock`` must not be sent.
  func load(_ resource: NetworkResource) async throws -> Response
}
