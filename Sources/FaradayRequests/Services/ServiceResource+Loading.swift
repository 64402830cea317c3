public import FaradayCoding
public import FaradayCore
public import FaradayPromises

/// Loading, with `await`.
///
///     let names = try await users.all().load(.lines)
///     let name = users.user(42).promise { try await $0.loadJSON(User.self) }.map(\.name)
///
/// Throws the errors of the network. A ``ServiceNetwork`` throws ``FaradayCore/StatusError`` for a status other than 2xx,
/// ``FaradayCore/TransportError``, the errors of constraints and interceptors, and the error of a request that could not be
/// built.
extension ServiceResource {
  /// Loads the whole response.
  @discardableResult
  public func load() async throws -> Response {
    let resource = networkResource
    return try await resource.network.load(resource)
  }

  /// Loads the resource, and decodes the response after the response interceptors. The request has the decoder's `Accept`
  /// field, unless the resource or its connection has one. A body that cannot be decoded throws
  /// ``FaradayCoding/BodyDecodingError``.
  public func load<Value>(_ decoder: ResponseDecoder<Value>) async throws -> Value {
    // The decoder's `Accept` is added when the request is built, so that an `Accept` of the connection is kept.
    let asking = changed { $0.wanted = $0.wanted.receiving(ResponseDecoder(accepting: decoder.accepts) { $0 }) }
    return try await decoder.decode(try await asking.load())
  }

  /// Loads a value from JSON, or untyped JSON: ``load(_:)`` with ``ResponseDecoder/json(_:using:)``. An optional is nil if and
  /// only if the body is empty, as with a 204. For other types an empty body is an error.
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type = JSONValue?.self, using decoder: JSONDecoder? = nil
  ) async throws -> Value {
    try await load(.json(type, using: decoder))
  }

  /// The resource as the source of promises: `resource.promise { try await $0.load() }`.
  public var promise: Promising<Self> { Promising(self) }
}

/// Loading with callbacks. Exactly one callback is called, once, in the context of ``ServiceResource/deliverOn(_:)``. The
/// promise can cancel the loading.
extension ServiceResource {
  /// Loads the whole response, and calls the closure with the result.
  @discardableResult
  public func load(completion: @escaping @Sendable (Result<Response, any Error>) -> Void) -> Promise<Response> {
    promise { try await $0.load() }.onComplete(on: networkResource.callbackContext, completion)
  }

  /// Loads the whole response, and calls one of the closures.
  @discardableResult
  public func load(
    onSuccess: @escaping @Sendable (Response) -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Response> {
    load(.response, onSuccess: onSuccess, onFailure: onFailure)
  }

  /// Loads the resource, decodes the response, and calls one of the closures.
  @discardableResult
  public func load<Value>(
    _ decoder: ResponseDecoder<Value>, onSuccess: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    promise { try await $0.load(decoder) }.onComplete(on: networkResource.callbackContext) { outcome in
      switch outcome {
      case .success(let value): onSuccess(value)
      case .failure(let error): onFailure(error)
      }
    }
  }

  /// Loads untyped JSON, and calls one of the closures.
  @discardableResult
  public func loadJSON(
    onSuccess: @escaping @Sendable (JSONValue?) -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<JSONValue?> {
    loadJSON(JSONValue?.self, onSuccess: onSuccess, onFailure: onFailure)
  }

  /// Loads a value from JSON, and calls one of the closures.
  @discardableResult
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type, using decoder: JSONDecoder? = nil, onSuccess: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    load(.json(type, using: decoder), onSuccess: onSuccess, onFailure: onFailure)
  }
}
