/// A middleware chain over an adapter. It is an adapter itself.
///
/// The first middleware is the outermost: it sees the request first and the response last.
public struct Stack: Adapter {
  /// The middleware, outermost first.
  public let middleware: [any Middleware]
  /// The adapter that sends the request.
  public let adapter: any Adapter

  /// A stack of middleware, outermost first, over an adapter.
  public init(_ middleware: [any Middleware], adapter: any Adapter) {
    self.middleware = middleware
    self.adapter = adapter
  }

  /// What the adapter can do.
  public var capabilities: Capabilities { adapter.capabilities }

  /// Sends the request through all middleware and the adapter. Returns at the response's head, whatever its status; the body may be
  /// still to come. ``Connection/run(_:)`` delivers it as the options say.
  public func send(_ request: Request) async throws -> Response {
    try await Next(stack: self, index: 0, context: request.context)(request)
  }
}

/// The rest of a ``Stack``: what a middleware calls to pass a request on to the middleware below it, and at last to the adapter.
public struct Next: Sendable {
  let stack: Stack
  let index: Int
  /// The context of the request that the middleware was given. A request that it passes on gets it too, also one it has created.
  let context: ConnectionContext?

  /// What the adapter can do.
  public var capabilities: Capabilities { stack.capabilities }

  /// Passes the request on and returns the response. Each further call sends the request again, as a retry.
  public func callAsFunction(_ request: Request) async throws -> Response {
    if let context, request.context !== context { return try await pass(joining(request, context)) }
    return try await pass(request)
  }

  private func joining(_ request: Request, _ context: ConnectionContext) -> Request {
    var request = request
    request.merge(context)
    return request
  }

  private func pass(_ request: Request) async throws -> Response {
    guard index < stack.middleware.count else { return try await stack.adapter.send(leaving: request) }
    let next = Next(stack: stack, index: index + 1, context: request.context)
    do {
      let response = try await stack.middleware[index].handle(request, next: next)
      // A response that a middleware has created redacts the same secrets as one of the adapter.
      return response.context == nil ? response.takingSecrets(of: request) : response
    } catch var error as TransportError {
      if let context = request.context { error.redact(by: context) }
      throw error
    }
  }
}

extension Adapter {
  /// Sends a request that has passed all middleware, without the connection's default headers if it has become cross-origin.
  /// Decodes the content codings of the response if ``Options/decompression`` is set.
  fileprivate func send(leaving request: Request) async throws -> Response {
    let isCoded = request.options.decompression != nil
    guard let context = request.context else {
      return isCoded ? try await send(request.acceptingCodings()).decoded(for: request) : try await send(request)
    }
    do {
      var request = request.removingOriginBoundHeadersIfCrossOrigin()
      if isCoded { request = request.acceptingCodings() }
      var response = try await send(request)
      response.context = context
      response.body.keepSecrets(of: context)
      return isCoded ? response.decoded(for: request) : response
    } catch var error as TransportError {
      error.redact(by: context)
      throw error
    }
  }
}
