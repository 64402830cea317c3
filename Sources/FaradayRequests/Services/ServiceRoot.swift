internal import FaradayCore

/// The root of a service's resources: a server's URL, with a method for each HTTP verb.
///
/// A path is appended to the URL, joined with exactly one slash. Its query is appended to the query of the URL. Verbs without a
/// body return a resource without the modifiers for bodies: `server.get("users").json(user)` does not compile.
public struct ServiceRoot: Sendable {
  let url: String
  let network: any WebServiceNetworkInterface
  /// Whether its origin differs from the service's, or is unknown.
  let isCrossOrigin: Bool

  /// - Parameter home: the URL of the service.
  init(url: String, home: String, network: any WebServiceNetworkInterface) {
    self.url = url
    self.network = network
    isCrossOrigin = url != home && URL(text: url).map { Origin($0) } != URL(text: home).map { Origin($0) }
  }

  /// A GET request.
  public func get(_ path: String = "") -> NetworkResource { resource(.get, path) }

  /// A HEAD request; the response has no body.
  public func head(_ path: String = "") -> NetworkResource { resource(.head, path) }

  /// An OPTIONS request.
  public func options(_ path: String = "") -> NetworkResource { resource(.options, path) }

  /// A POST request.
  public func post(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.post, path)) }

  /// A PUT request.
  public func put(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.put, path)) }

  /// A PATCH request.
  public func patch(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.patch, path)) }

  /// A DELETE request.
  public func delete(_ path: String = "") -> NetworkResourceWithBody { NetworkResourceWithBody(resource(.delete, path)) }

  private func resource(_ method: HTTPRequest.Method, _ path: String) -> NetworkResource {
    var resource = NetworkResource(method, serverURL: url, path: path, network: network)
    resource.isCrossOrigin = isCrossOrigin
    return resource
  }
}

extension ServiceRoot: CustomStringConvertible, CustomReflectable {
  /// `https://api.example.com/v2`: the server's URL without its user, and with secret query items redacted.
  public var description: String { Secrets().redacting(urlText: url).bounded() }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
