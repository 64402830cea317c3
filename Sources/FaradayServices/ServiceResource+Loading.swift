public import FaradayCore
public import FaradayPromises

/// Loading gives the whole response: by waiting for it, as a promise, or through callbacks, of which exactly one is called, once,
/// where ``ServiceResource/deliverOn(_:)`` says.
///
/// It throws what the network throws: of a ``ServiceNetwork`` that is ``FaradayCore/UnexpectedStatus`` for what is no 2xx,
/// ``FaradayCore/TransportError``, what constraints and interceptors throw, and what went wrong in making the request.
extension ServiceResource {
  /// Loads the resource.
  @discardableResult
  public func load() async throws -> Response {
    let resource = networkResource
    return try await resource.network.load(resource)
  }

  /// Loads the resource, and calls the closure with what came of it. The promise is for those who want to cancel.
  @discardableResult
  public func load(completion: @escaping @Sendable (Result<Response, any Error>) -> Void) -> Promise<Response> {
    promise.load().onComplete(on: networkResource.callbackContext, completion)
  }

  /// Loads the resource, and calls one of the closures.
  @discardableResult
  public func load(
    onSuccess: @escaping @Sendable (Response) -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Response> {
    promise.load().calling(onSuccess, onFailure, on: networkResource.callbackContext)
  }
}

extension ServiceResource {
  /// The resource's loading as promises: `resource.promise.load()`.
  public var promise: Promising<Self> { Promising(self) }
}

extension Promising where Caller: ServiceResource {
  /// Loads the resource, beginning at once.
  @discardableResult
  public func load() -> Promise<Response> { Promise { [caller] in try await caller.load() } }
}

extension Promise {
  /// Calls one of the closures.
  func calling(
    _ onSuccess: @escaping @Sendable (Value) -> Void, _ onFailure: @escaping @Sendable (any Error) -> Void,
    on context: CallbackContext
  ) -> Promise {
    onComplete(on: context) { outcome in
      switch outcome {
      case .success(let value): onSuccess(value)
      case .failure(let error): onFailure(error)
      }
    }
  }
}
