public import FaradayCore

extension RestingClient {
  /// Sends a request, and decodes its output from JSON. An optional is nil if and only if the body is empty. `Void`
  /// ignores the body.
  ///
  /// A file, alone or in a form, is streamed from disk without a temporary copy, and again if an interceptor sends it again.
  ///
  /// Throws the errors of the converter, which include ``FaradayCore/InvalidValueError`` and
  /// ``FaradayCoding/BodyEncodingError``; the errors of interceptors; ``FaradayCore/TransportError``;
  /// ``FaradayCore/StatusError`` for a status other than 2xx; ``FaradayCoding/BodyDecodingError``; `CancellationError`.
  ///
  /// - Parameter onProgress: called with the adapter's upload progress, on the adapter's thread. It starts from 0 with each
  ///   attempt. Every success ends with a report of the whole length, 0 of 0 if there is no body.
  public func perform<Input, Output>(
    _ request: RestingRequest<Input, Output>, onProgress: ProgressHandler? = nil
  ) async throws -> TypedResponse<Output> {
    let decoder = request.endpoint.responseDecoder(decoder)
    var built = try converter.request(for: request, on: connection)
    built.headers.setAccept(for: decoder)
    return try await connection.perform(built, validator: .successful, decoder: decoder, onProgress: onProgress)
  }
}
