/// An ordered list of middleware over an adapter, which is an adapter itself.
///
/// The first middleware sees the request first and the response last.
public struct Stack: Adapter {
  /// The middleware, outermost first.
  public let middleware: [any Middleware]
  /// What sends the request in the end.
  public let adapter: any Adapter

  public init(_ middleware: [any Middleware], adapter: any Adapter) {
    self.middleware = middleware
    self.adapter = adapter
  }

  public var capabilities: Capabilities { adapter.capabilities }

  public func send(_ request: Request) async throws -> Response {
    try await Next(stack: self, index: 0)(request)
  }
}

/// The rest of the stack, below the middleware that holds it.
public struct Next: Sendable {
  let stack: Stack
  let index: Int

  /// What the adapter at the bottom can do.
  package var capabilities: Capabilities { stack.capabilities }

  /// Passes the request on. May be called more than once; each call sends the request again.
  public func callAsFunction(_ request: Request) async throws -> Response {
    guard index < stack.middleware.count else { return try await stack.adapter.send(request) }
    return try await stack.middleware[index].handle(request, next: Next(stack: stack, index: index + 1))
  }
}
