public import FaradayCore
public import FaradayMiddleware

/// Loads the resources of services over a connection, with constraints and interceptors in front of the connection's
/// middleware.
///
///     let network = ServiceNetwork(
///       Connection(adapter: CurlAdapter(), middleware: .standard), constraints: [LoggedIn(session)],
///       interceptors: [.request { request in request.headers[.acceptLanguage] = "cy" }])
///
/// A resource passes the constraints, then the request interceptors, then the connection's middleware. A status other than 2xx
/// becomes ``FaradayCore/StatusError``. Every outcome passes the response interceptors, in the order of the list. This
/// includes the outcomes of a constraint, a mock and a request that could not be built. Exceptions are a resource without a
/// valid URL, and cancellation. Response interceptors get the request of the resource, before the changes of the request
/// interceptors. Decoding follows after them.
///
/// A connection without a URL treats every service as same-origin: its headers, and the credentials that its middleware adds,
/// are sent to the server of each ``WebService/serverURL``, and to no other server: see ``WebService/customResource(at:)``. Use
/// separate networks for services that must not share credentials. A ``NetworkResource`` without a service is same-origin with
/// its URL.
///
/// Thread-safe; copies share the resources in flight and the state of constraints.
public struct ServiceNetwork: WebServiceNetworkInterface {
  private let connection: Connection
  private let tagged = TaggedLoads()

  /// - Parameters:
  ///   - connection: sends the requests. Services have their own URLs, so a connection for several services has no URL.
  ///   - constraints: preconditions of each resource that does not opt out.
  ///   - limit: the maximum time that a resource waits for constraints, see ``FaradayMiddleware/Constraints``. No limit by
  ///     default.
  ///   - interceptors: request and response interceptors, in one list.
  public init(
    _ connection: Connection, constraints: [any Constraint] = [], within limit: Duration? = nil,
    interceptors: [any Interceptor] = []
  ) {
    var connection = connection
    connection.stack = Stack(
      [
        Interceptors(responses: interceptors),
        CreationErrors(),
        Constraints(constraints, within: limit),
        UnlessMocked(middleware: Interceptors(requests: interceptors)),
        // Below the response interceptors, which can replace the error.
        StatusValidation(),
        Mocks(),
      ], adapter: connection.stack)
    self.connection = connection
  }

  /// Loads a resource: see ``ServiceNetwork``.
  public func load(_ resource: NetworkResource) async throws -> Response {
    let request = try request(of: resource)
    let connection = connection
    let tags = request.options.tags
    guard !tags.isEmpty else { return try await connection.send(request) }
    return try await tagged.run(tags) { try await connection.send(request) }
  }

  /// Cancels all resources in flight that have this tag; each throws a `CancellationError`. Later resources are not affected. A
  /// streamed body whose head has arrived is not affected either.
  public func cancel(tag: String) { tagged.cancel(tag) }

  private func request(of resource: NetworkResource) throws -> Request {
    do {
      return try resource.request(for: connection)
    } catch {
      guard let failing = try? resource.request(failing: error, for: connection) else { throw error }
      return failing
    }
  }
}

/// Throws the error that prevented the building of a request.
private struct CreationErrors: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response {
    if let error = request.options.creationError { throw error }
    return try await next(request)
  }
}
