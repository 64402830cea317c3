internal import FaradayCore

/// Where resources begin: a server's URL, with a verb for each method.
///
/// A path is put behind the URL, with one slash between them, however many are given. A query in it is kept, behind that of the
/// URL. The verbs that have no body give a resource without the modifiers for one: `server.get("users").json(user)` does not
/// compile.
public struct ServiceRoot: Sendable {
  let url: String
  let network: any WebServiceNetworkInterface
  /// Whether this is another origin than the service's, or nobody can tell.
  let isCrossOrigin: Bool

  /// - Parameter home: the URL of the service.
  init(url: String, home: String, network: any WebServiceNetworkInterface) {
    self.url = url
    self.network = network
    isCrossOrigin = url != home && URL(text: url).map { Origin($0) } != URL(text: home).map { Origin($0) }
  }

  /// A GET.
  public func get(_ path: String = "") -> NetworkResource { resource(.get, path) }

  /// A HEAD; its response has no body.
  public func head(_ path: String = "") -> NetworkResource { resource(.head, path) }

  /// An OPTIONS.
  public func options(_ path: String = "") -> NetworkResource { resource(.options, path) }

  /// A POST.
  public func post(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.post, path)) }

  /// A PUT.
  public func put(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.put, path)) }

  /// A PATCH.
  public func patch(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.patch, path)) }

  /// A DELETE.
  public func delete(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.delete, path)) }

  private func resource(_ method: HTTPRequest.Method, _ path: String) -> NetworkResource {
    var resource = NetworkResource(method, serverURL: url, path: path, network: network)
    resource.isCrossOrigin = isCrossOrigin
    return resource
  }
}
