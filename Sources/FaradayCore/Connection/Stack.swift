/// A middleware chain over an adapter. It is an adapter itself.
///
/// The first middleware is the outermost: it handles the request first and the response last. A stack over a stack becomes one
/// stack, with the middleware of both.
///
/// Between the last middleware and the adapter, the stack removes the connection's own header fields and credentials from a
/// cross-origin request, and applies ``Options/decompression``: it sets `Accept-Encoding`, and decodes the body. It redacts the
/// URL of each ``TransportError``. The article "The middleware stack" lists all steps that are not middleware.
public struct Stack: Adapter {
  // One reference, because the frames of a suspended request contain several copies of the stack.
  private final class Storage: Sendable {
    let middleware: [any Middleware]
    /// The middleware that only changes requests, at the same indices as in ``middleware``; nil for other middleware.
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

  /// The middleware at the index, if it only changes requests.
  fileprivate func transformer(at index: Int) -> (any RequestTransformer)? {
    index < storage.transformers.count ? storage.transformers[index] : nil
  }

  /// The features of the adapter.
  public var capabilities: Capabilities { adapter.capabilities }

  /// Sends the request through all middleware and the adapter. Returns at the response's head, whatever its status; the body
  /// may still arrive. ``Connection/send(_:)`` delivers the body according to the options.
  public func send(_ request: Request) async throws -> Response {
    request.context?.beginRecording()
    return try await Next(stack: self, index: 0, context: request.context)(request)
  }
}

/// The rest of a ``Stack``. A middleware calls it to pass a request on to the next middleware, or to the adapter after the last
/// middleware.
public struct Next: Sendable {
  fileprivate let stack: Stack
  fileprivate let index: Int
  /// The context of the middleware's request. Every request that the middleware passes on gets this context, even a new
  /// request.
  fileprivate let context: ConnectionContext?

  /// The features of the adapter.
  public var capabilities: Capabilities { stack.capabilities }

  /// Passes the request on and returns the response. Each further call sends the request again, as a retry.
  public func callAsFunction(_ request: Request) async throws -> Response {
    let (request, index) = try transformed(joined(request, to: context))
    guard index < stack.middleware.count else { return try await stack.adapter.send(leaving: request) }
    let next = Next(stack: stack, index: index + 1, context: request.context)
    do {
      let response = try await stack.middleware[index].handle(request, next: next)
      // A response that a middleware has created redacts the same secrets as a response of the adapter.
      return response.context == nil ? response.takingSecrets(of: request) : response
    } catch {
      throw error.redacted(by: request.context)
    }
  }

  /// Applies the next middleware that only changes requests. Returns the request, and the index of the first middleware that
  /// does more. Request transformers need no asynchronous call, whose frame a suspended request would keep.
  @inline(never)
  private func transformed(_ request: Request) throws -> (Request, Int) {
    var (request, index) = (request, index)
    while let transformer = stack.transformer(at: index) {
      do {
        request = joined(try transformer.transformed(request, capabilities: stack.capabilities), to: request.context)
      } catch {
        throw error.redacted(by: request.context)
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
  /// Sends a request that has passed all middleware.
  // A separate function: within ``Next`` it would enlarge the frames of all middleware.
  fileprivate func send(leaving request: Request) async throws -> Response {
    do {
      return try await send(request.leaving()).arrived(for: request)
    } catch {
      if (error as? TransportError)?.isBeforeSending == true { request.context?.recordUnsent() }
      throw error.redacted(by: request.context)
    }
  }
}

// These functions are not inlined: their temporaries would enlarge the frame of each suspended request.
extension Request {
  /// The request for the adapter: without the connection's default headers if it is cross-origin, and with an `Accept-Encoding`
  /// if ``Options/decompression`` is set.
  @inline(never)
  fileprivate func leaving() -> Request {
    let request = removingOriginBoundHeadersIfCrossOrigin()
    request.context?.record(request)
    return request.acceptingCodings()
  }
}

extension Response {
  /// The response with the facts of an equal request.
  package func answering(_ request: Request) -> Response {
    var response = self
    response.facts = RequestFacts(request, for: status)
    return response
  }

  /// The response for the middleware: with the secrets of its connection, and decoded if ``Options/decompression`` is set.
  // Consuming: the only reference is changed in place, without an allocation.
  @inline(never)
  fileprivate consuming func arrived(for request: Request) -> Response {
    var response = consume self
    response.facts = RequestFacts(request, for: response.status)
    if let context = request.context {
      // A recorder retains the request, and a response must not retain it.
      response.context = context.withoutRecorders()
      response.body.keepSecrets(of: context)
    }
    return response.decoded(for: request)
  }
}
