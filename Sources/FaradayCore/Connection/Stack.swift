/// A middleware chain over an adapter. It is an adapter itself.
///
/// The first middleware is the outermost: it sees the request first and the response last. A stack over a stack is one stack, with
/// the middleware of both.
public struct Stack: Adapter {
  /// One reference: what a request holds while it waits has several.
  private final class Storage: Sendable {
    let middleware: [any Middleware]
    /// Those that only change requests, in their places; nil where another stands.
    let transformers: [(any RequestTransformer)?]
    let adapter: any Adapter

    init(_ middleware: [any Middleware], _ transformers: [(any RequestTransformer)?], _ adapter: any Adapter) {
      self.middleware = middleware
      self.transformers = transformers
      self.adapter = adapter
    }
  }

  private let storage: Storage

  /// The middleware, outermost first.
  public var middleware: [any Middleware] { storage.middleware }
  /// The adapter that sends the request.
  public var adapter: any Adapter { storage.adapter }

  /// A stack of middleware, outermost first, over an adapter.
  public init(_ middleware: [any Middleware], adapter: any Adapter) {
    let below = adapter as? Stack
    let all = middleware + (below?.middleware ?? [])
    storage = Storage(all, all.map { $0 as? any RequestTransformer }, below?.adapter ?? adapter)
  }

  /// The stack with one more middleware below the others.
  func appending(_ last: any Middleware) -> Stack { Stack(middleware + [last], adapter: adapter) }

  /// The middleware in that place, if it only changes requests.
  fileprivate func transformer(at index: Int) -> (any RequestTransformer)? {
    index < storage.transformers.count ? storage.transformers[index] : nil
  }

  /// What the adapter can do.
  public var capabilities: Capabilities { adapter.capabilities }

  /// Sends the request through all middleware and the adapter. Returns at the response's head, whatever its status; the body may be
  /// still to come. ``Connection/run(_:)`` delivers it as the options say.
  public func send(_ request: Request) async throws -> Response {
    request.context?.beginRecording()
    return try await Next(stack: self, index: 0, context: request.context)(request)
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
    let (request, index) = try transformed(joined(request, to: context))
    guard index < stack.middleware.count else { return try await stack.adapter.send(leaving: request) }
    let next = Next(stack: stack, index: index + 1, context: request.context)
    do {
      let response = try await stack.middleware[index].handle(request, next: next)
      // A response that a middleware has created redacts the same secrets as one of the adapter.
      return response.context == nil ? response.takingSecrets(of: request) : response
    } catch {
      throw request.context?.redacted(error) ?? error
    }
  }

  /// The request behind the middleware that only change it, and the index of the next one that does more. They cost no asynchronous
  /// call, whose frame each request would have while it waits.
  @inline(never)
  private func transformed(_ request: Request) throws -> (Request, Int) {
    var (request, index) = (request, index)
    while let transformer = stack.transformer(at: index) {
      do {
        request = joined(try transformer.transformed(request, capabilities: stack.capabilities), to: request.context)
      } catch {
        throw request.context?.redacted(error) ?? error
      }
      index += 1
    }
    return (request, index)
  }

  private func joined(_ request: Request, to context: ConnectionContext?) -> Request {
    guard let context, request.context !== context else { return request }
    var request = request
    request.merge(context)
    return request
  }
}

extension Adapter {
  /// Sends a request that has passed all middleware, without the connection's default headers if it has become cross-origin.
  /// Decodes the content codings of the response if ``Options/decompression`` is set.
  fileprivate func send(leaving request: Request) async throws -> Response {
    guard let context = request.context else { return try await send(request.acceptingCodings()).arrived(for: request, nil) }
    do {
      return try await send(request.leaving()).arrived(for: request, context)
    } catch {
      throw context.redacted(error)
    }
  }
}

// These are not inlined: their temporaries would be in the frame of each request that waits.
extension Request {
  @inline(never)
  fileprivate func leaving() -> Request {
    let request = removingOriginBoundHeadersIfCrossOrigin()
    request.context?.record(request)
    return request.acceptingCodings()
  }
}

extension Response {
  @inline(never)
  fileprivate func arrived(for request: Request, _ context: ConnectionContext?) -> Response {
    var response = self
    response.requestMethod = request.method
    if let context {
      // A recorder has the request, and a response must not keep that.
      response.context = context.recorders.isEmpty ? context : context.withoutRecorders()
      response.body.keepSecrets(of: context)
    }
    return response.decoded(for: request)
  }
}

extension ConnectionContext {
  /// The error with the connection's secrets redacted, if it is a ``TransportError``.
  @inline(never)
  fileprivate func redacted(_ error: any Error) -> any Error {
    guard var error = error as? TransportError else { return error }
    error.redact(by: self)
    return error
  }
}
