public import FaradayCoding
public import FaradayCore
public import FaradayPromises
internal import FaradayRequests

/// Loading JSON: as with the decoder ``FaradayRequests/ResponseDecoder/json(_:using:)``, asking for `application/json` unless the
/// resource has an `Accept` of its own. A body that is not what was wanted throws ``FaradayCoding/UndecodableBody``.
extension ServiceResource {
  /// Loads JSON of any shape; nil exactly when the body has no bytes, as with a 204.
  public func loadJSON() async throws -> JSONValue? { try await loadJSON(JSONValue?.self) }

  /// Loads a value. An optional is nil exactly when the body has no bytes; for any other an empty body is an error.
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()
  ) async throws -> Value {
    try await load(.json(type, using: decoder))
  }

  /// Loads JSON of any shape, and calls one of the closures.
  @discardableResult
  public func loadJSON(
    onSuccess: @escaping @Sendable (JSONValue?) -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<JSONValue?> {
    loadJSON(JSONValue?.self, onSuccess: onSuccess, onFailure: onFailure)
  }

  /// Loads a value, and calls one of the closures.
  @discardableResult
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder(), onSuccess: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    load(.json(type, using: decoder), onSuccess: onSuccess, onFailure: onFailure)
  }
}

extension Promising where Caller: ServiceResource {
  /// Loads JSON of any shape, beginning at once.
  @discardableResult
  public func loadJSON() -> Promise<JSONValue?> { loadJSON(JSONValue?.self) }

  /// Loads a value, beginning at once.
  @discardableResult
  public func loadJSON<Value: Decodable & Sendable>(
    _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()
  ) -> Promise<Value> {
    load(.json(type, using: decoder))
  }
}

extension UnexpectedStatus {
  /// The response's body as JSON: what a server says of its error. Nil if it is none, was cut, or was streamed.
  public var errorJSON: JSONValue? {
    guard !isBodyCut, let data = response.body.data, !data.isEmpty else { return nil }
    return try? JSONValue(data: data)
  }
}
