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
    try await Next(stack: self, index: 0, context: request.context)(request)
  }
}

/// The rest of the stack, below the middleware that holds it.
public struct Next: Sendable {
  let stack: Stack
  let index: Int
  /// What the request had with it that the middleware was given: one that it passes on has it too, be it a new one.
  let context: ConnectionContext?

  /// What the adapter at the bottom can do.
  public var capabilities: Capabilities { stack.capabilities }

  /// Passes the request on. May be called more than once; each call sends the request again.
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
      // A middleware may have made it: what it says of itself has no more secrets than the adapter's.
      return response.context == nil ? response.takingSecrets(of: request) : response
    } catch var error as TransportError {
      if let context = request.context { error.redact(by: context) }
      throw error
    }
  }
}

extension Adapter {
  /// Sends what has passed all layers: without what the connection gave it if they have led it to another origin. Undoes the content
  /// codings of the response, if that is wanted.
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
