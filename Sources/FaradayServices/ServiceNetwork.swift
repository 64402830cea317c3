public import FaradayCore
public import FaradayMiddleware

/// Loads the resources of services over a connection: its middleware and its adapter, its headers for its own origin, its options.
///
///     let network = ServiceNetwork(
///       Connection(adapter: CurlAdapter(), middleware: .standard), constraints: [LoggedIn(session)],
///       interceptors: [.request { request in request.headers[.acceptLanguage] = "cy" }])
///
/// A resource goes through constraints, then request interceptors, then the connection's middleware. What comes back, if it is no
/// 2xx, is made an ``FaradayCore/UnexpectedStatus``; and every outcome, that of a constraint, a mock and a request that could
/// not be made included, goes through the response interceptors, in the order of the list as on the way down. Only where there is
/// not even a URL do they not see it, nor do they see a cancellation. They get the request as the resource made it, before the
/// request interceptors. Decoding comes after them.
///
/// A connection without a URL is at home with each service: its headers, and the credentials that its middleware adds, go to the
/// server of each ``WebService/serverURL``, and not elsewhere, see ``WebService/customResource(at:)``. Services that must not share
/// them have a network each. A ``NetworkResource`` made without a service is at home at its own URL.
///
/// It is a value; copies share what is in flight and what constraints are doing.
public struct ServiceNetwork: WebServiceNetworkInterface {
  private let connection: Connection
  private let tagged = TaggedLoads()

  /// - Parameters:
  ///   - connection: what sends. Services have their own URLs: one that serves several has none.
  ///   - constraints: what must hold before a resource is sent, unless it says otherwise.
  ///   - limit: how long a resource waits for them, see ``FaradayMiddleware/Constraints``; nil waits as long as it takes.
  ///   - interceptors: those that look at requests and those that look at responses, in one list.
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

  public func load(_ resource: NetworkResource) async throws -> Response {
    let request = try request(of: resource)
    let connection = connection
    let tags = request.options.tags
    guard !tags.isEmpty else { return try await connection.run(request) }
    return try await tagged.run(tags) { try await connection.run(request) }
  }

  /// Cancels whatever has that tag and is being loaded: each ends with a `CancellationError`. What is loaded later is not
  /// concerned, nor is a streamed body whose head has come.
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

/// Throws what went wrong in making the request.
private struct CreationErrors: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response {
    if let error = request.options.creationError { throw error }
    return try await next(request)
  }
}
