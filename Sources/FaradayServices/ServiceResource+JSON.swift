public import FaradayCoding
public import FaradayCore
public import FaradayPromises
internal import FaradayRequests

/// Loading JSON, as with the decoder ``FaradayRequests/ResponseDecoder/json(_:using:)``, with `Accept: application/json` unless
/// the resource has an `Accept` header. A body that cannot be decoded throws ``FaradayCoding/UndecodableBody``.
extension ServiceResource {
  /// Loads untyped JSON; nil exactly when the body is empty, as with a 204.
  public func loadJSON() async throws -> JSONValue? { try await loadJSON(JSONValue?.self) }

  /// Loads a value from JSON. An optional is nil exactly when the body is empty; for other types an empty body is an error.
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()
  ) async throws -> Value {
    try await load(.json(type, using: decoder))
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
    _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder(), onSuccess: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    load(.json(type, using: decoder), onSuccess: onSuccess, onFailure: onFailure)
  }
}

extension Promising where Caller: ServiceResource {
  /// Loads untyped JSON at once, and returns a promise of it.
  @discardableResult
  public func loadJSON() -> Promise<JSONValue?> { loadJSON(JSONValue?.self) }

  /// Loads a value from JSON at once, and returns a promise of it.
  @discardableResult
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()
  ) -> Promise<Value> {
    load(.json(type, using: decoder))
  }
}
