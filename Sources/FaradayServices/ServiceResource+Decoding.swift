internal import FaradayCore
public import FaradayPromises
public import FaradayRequests

/// Loading what a decoder makes of the response: one of those that are there, or your own.
///
///     let names = try await users.all().load(.lines)
///
/// It is as ``ServiceResource/load()``, asking for what the decoder accepts unless the resource has an `Accept` of its own. The
/// decoder gets what the response interceptors have left. A body that is not what it wants throws
/// ``FaradayCoding/UndecodableBody``.
extension ServiceResource {
  /// Loads what the decoder makes.
  public func load<Value>(_ decoder: ResponseDecoder<Value>) async throws -> Value {
    let asking = changed { $0.wanted = $0.wanted.receiving(ResponseDecoder(accepting: decoder.accepts) { $0 }) }
    return try await decoder.decode(try await asking.load(), to: networkResource.wanted.method)
  }

  /// Loads what the decoder makes, and calls one of the closures.
  @discardableResult
  public func load<Value>(
    _ decoder: ResponseDecoder<Value>, onSuccess: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    promise.load(decoder).calling(onSuccess, onFailure, on: networkResource.callbackContext)
  }
}

extension Promising where Caller: ServiceResource {
  /// Loads what the decoder makes, beginning at once.
  @discardableResult
  public func load<Value>(_ decoder: ResponseDecoder<Value>) -> Promise<Value> {
    Promise { [caller] in try await caller.load(decoder) }
  }
}
