public import FaradayCore
public import FaradayPromises

/// Loading the whole response: with `await`, as a promise, or with callbacks, of which exactly one is called, once, where
/// ``ServiceResource/deliverOn(_:)`` says.
///
/// Throws what the network throws; a ``ServiceNetwork`` throws ``FaradayCore/UnexpectedStatus`` for a status other than 2xx,
/// ``FaradayCore/TransportError``, what constraints and interceptors throw, and the error of a request that could not be built.
extension ServiceResource {
  /// Loads the resource.
  @discardableResult
  public func load() async throws -> Response {
    let resource = networkResource
    return try await resource.network.load(resource)
  }

  /// Loads the resource, and calls the closure with the result. The promise can be used to cancel.
  @discardableResult
  public func load(completion: @escaping @Sendable (Result<Response, any Error>) -> Void) -> Promise<Response> {
    promise.load().onComplete(on: networkResource.callbackContext, completion)
  }

  /// Loads the resource, and calls one of the closures. The promise can be used to cancel.
  @discardableResult
  public func load(
    onSuccess: @escaping @Sendable (Response) -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Response> {
    promise.load().calling(onSuccess, onFailure, on: networkResource.callbackContext)
  }
}

extension ServiceResource {
  /// The promise-returning variants of the loading methods: `resource.promise.load()`.
  public var promise: Promising<Self> { Promising(self) }
}

extension Promising where Caller: ServiceResource {
  /// Loads the resource at once, and returns a promise of the response.
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
