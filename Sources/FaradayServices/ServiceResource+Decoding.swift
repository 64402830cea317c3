internal import FaradayCore
public import FaradayPromises
public import FaradayRequests

/// Loading and decoding, with a built-in decoder or one of your own.
///
///     let names = try await users.all().load(.lines)
///
/// As ``ServiceResource/load()``, with an `Accept` header for the decoder unless the resource has one. The decoder gets the
/// response after the response interceptors. A body that it cannot decode throws ``FaradayCoding/UndecodableBody``.
extension ServiceResource {
  /// Loads the resource and decodes the response.
  public func load<Value>(_ decoder: ResponseDecoder<Value>) async throws -> Value {
    let asking = changed { $0.wanted = $0.wanted.receiving(ResponseDecoder(accepting: decoder.accepts) { $0 }) }
    return try await decoder.decode(try await asking.load())
  }

  /// Loads the resource, decodes the response, and calls one of the closures.
  @discardableResult
  public func load<Value>(
    _ decoder: ResponseDecoder<Value>, onSuccess: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    promise.load(decoder).calling(onSuccess, onFailure, on: networkResource.callbackContext)
  }
}

extension Promising where Caller: ServiceResource {
  /// Loads the resource at once, and returns a promise of the decoded response.
  @discardableResult
  public func load<Value>(_ decoder: ResponseDecoder<Value>) -> Promise<Value> {
    Promise { [caller] in try await caller.load(decoder) }
  }
}
