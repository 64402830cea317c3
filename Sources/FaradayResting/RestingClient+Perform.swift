internal import FaradayCore
public import FaradayPromises
public import FaradayRequests

/// Each throws, or has for its outcome: what the converter throws, ``FaradayCore/InvalidPath`` and ``FaradayCoding/UnencodableBody`` among it;
/// what an interceptor throws; ``FaradayCore/TransportError``; ``FaradayCore/UnexpectedStatus`` for all but 2xx;
/// ``FaradayCoding/UndecodableBody``; `CancellationError`.
extension RestingClient {
  /// Sends a request, and reads its output. An optional one is nil exactly when the body has no bytes.
  public func perform<Input, Output>(
    _ request: RestingRequest<Input, Output>
  ) async throws -> TypedResponse<Output> {
    try await send(request, decoder: output())
  }

  /// Sends a request, and looks at no body of the response.
  public func perform<Input>(_ request: RestingRequest<Input, Nothing>) async throws -> TypedResponse<Void> {
    try await send(request, decoder: .none)
  }

  func send<Input, Output, Value>(
    _ wanted: RestingRequest<Input, Output>, decoder: ResponseDecoder<Value>,
    reporting report: ProgressHandler? = nil
  ) async throws -> TypedResponse<Value> {
    var request = try converter.request(for: wanted, on: connection)
    if request.headers[.accept] == nil, let accepted = decoder.accepts { request.headers[.accept] = accepted }
    return try await connection.perform(request, validator: .successful, decoder: decoder, reporting: report)
  }

  /// Whoever is generic over the output may have ``Nothing`` for it.
  func output<Output: Decodable & Sendable>() -> ResponseDecoder<Output> {
    if Output.self == Nothing.self, let nothing = Nothing() as? Output { return ResponseDecoder { _ in nothing } }
    return .json(using: decoder)
  }
}

extension RestingClient {
  /// The client's calls as promises: `client.promise.perform(request)`.
  public var promise: Promising<RestingClient> { Promising(self) }
}

extension Promising where Caller == RestingClient {
  /// Sends a request at once, and returns a promise of its output.
  @discardableResult
  public func perform<Input, Output>(_ request: RestingRequest<Input, Output>) -> Promise<TypedResponse<Output>> {
    Promise { try await caller.send(request, decoder: caller.output()) }
  }

  /// Sends a request at once, and returns a promise that looks at no body of the response.
  @discardableResult
  public func perform<Input>(_ request: RestingRequest<Input, Nothing>) -> Promise<TypedResponse<Void>> {
    Promise { try await caller.send(request, decoder: .none) }
  }
}
