public import FaradayCore
public import FaradayMiddleware

/// Loads the resources of services over a connection, with constraints and interceptors in front of the connection's own
/// middleware.
///
///     let network = ServiceNetwork(
///       Connection(adapter: CurlAdapter(), middleware: .standard), constraints: [LoggedIn(session)],
///       interceptors: [.request { request in request.headers[.acceptLanguage] = "cy" }])
///
/// A resource passes the constraints, then the request interceptors, then the connection's middleware. A status other than 2xx
/// becomes ``FaradayCore/UnexpectedStatus``. Every outcome, also that of a constraint, a mock and a request that could not be
/// built, passes the response interceptors, in the order of the list. Exceptions are a resource without a valid URL, and
/// cancellation. Response interceptors get the request as the resource built it, before the request interceptors. Decoding
/// comes after them.
///
/// A connection without a URL treats every service as same-origin: its headers, and the credentials that its middleware adds,
/// are sent to the server of each ``WebService/serverURL``, and not elsewhere, see ``WebService/customResource(at:)``. Use a
/// network for each of the services that must not share credentials. A ``NetworkResource`` made without a service is
/// same-origin with its own URL.
///
/// Thread-safe; copies share the resources in flight and the state of constraints.
public struct ServiceNetwork: WebServiceNetworkInterface {
  private let connection: Connection
  private let tagged = TaggedLoads()

  /// - Parameters:
  ///   - connection: sends the requests. Services have their own URLs: a connection for several services has none.
  ///   - constraints: preconditions of each resource that does not opt out.
  ///   - limit: how long a resource waits for constraints, see ``FaradayMiddleware/Constraints``. No limit by default.
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
        // Below the interceptors, which may forgive it.
        ExpectStatus(200..<300),
        Mocks(),
      ], adapter: connection.stack)
    self.connection = connection
  }

  /// Loads a resource: see ``ServiceNetwork``.
  public func load(_ resource: NetworkResource) async throws -> Response {
    let request = try request(of: resource)
    let connection = connection
    let tags = request.options.tags
    guard !tags.isEmpty else { return try await connection.run(request) }
    return try await tagged.run(tags) { try await connection.run(request) }
  }

  /// Cancels all resources in flight that have this tag; each throws a `CancellationError`. Later ones are not affected, nor is
  /// a streamed body whose head has arrived.
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

/// Throws the error for which a request could not be built.
private struct CreationErrors: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response {
    if let error = request.options.creationError { throw error }
    return try await next(request)
  }
}
