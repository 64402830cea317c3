internal import FaradayCore
public import FaradayPromises
public import FaradayRequests

/// Calls. They throw what the converter throws, which includes ``FaradayCore/InvalidPath`` and
/// ``FaradayCoding/UnencodableBody``; what an interceptor throws; ``FaradayCore/TransportError``;
/// ``FaradayCore/UnexpectedStatus`` for a status other than 2xx; ``FaradayCoding/UndecodableBody``; `CancellationError`.
/// Promises have them as their outcome.
extension RestingClient {
  /// Sends a request, and decodes its output from JSON. An optional is nil exactly when the body is empty.
  public func perform<Input, Output>(
    _ request: RestingRequest<Input, Output>
  ) async throws -> TypedResponse<Output> {
    try await send(request, decoder: output())
  }

  /// Sends a request, and ignores the body of the response.
  public func perform<Input>(_ request: RestingRequest<Input, Nothing>) async throws -> TypedResponse<Void> {
    try await send(request, decoder: .none)
  }

  func send<Input, Output, Value>(
    _ typed: RestingRequest<Input, Output>, decoder: ResponseDecoder<Value>,
    reporting report: ProgressHandler? = nil
  ) async throws -> TypedResponse<Value> {
    var request = try converter.request(for: typed, on: connection)
    if request.headers[.accept] == nil, let accepted = decoder.accepts { request.headers[.accept] = accepted }
    return try await connection.perform(request, validator: .successful, decoder: decoder, reporting: report)
  }

  /// The decoder of an output, which may be ``Nothing`` in generic code.
  func output<Output: Decodable & Sendable>() -> ResponseDecoder<Output> {
    if Output.self == Nothing.self, let nothing = Nothing() as? Output { return ResponseDecoder { _ in nothing } }
    return .json(using: decoder)
  }
}

extension RestingClient {
  /// The promise-returning variants of the client's methods: `client.promise.perform(request)`.
  public var promise: Promising<RestingClient> { Promising(self) }
}

extension Promising where Caller == RestingClient {
  /// Sends a request at once, and returns a promise of its decoded output.
  @discardableResult
  public func perform<Input, Output>(_ request: RestingRequest<Input, Output>) -> Promise<TypedResponse<Output>> {
    Promise { try await caller.send(request, decoder: caller.output()) }
  }

  /// Sends a request at once, and returns a promise of a response whose body is ignored.
  @discardableResult
  public func perform<Input>(_ request: RestingRequest<Input, Nothing>) -> Promise<TypedResponse<Void>> {
    Promise { try await caller.send(request, decoder: .none) }
  }
}
