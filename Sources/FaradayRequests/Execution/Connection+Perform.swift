public import FaradayCore

extension Connection {
  /// Sends a typed request: builds the request, sends it through the middleware, validates the response and decodes it.
  ///
  /// The connection adds its options, and, to a same-origin request, its headers. A cross-origin request, such as `API.staging`
  /// over the production connection, gets neither its headers nor the credentials of its middleware: see
  /// ``FaradayRequests/RequestConvertible/baseURL``. A response that ``FaradayCore/Options/onChunk`` has consumed has no body
  /// to decode.
  ///
  /// Throws ``FaradayCore/StatusError`` for a status other than 2xx, unless the request has another validator. Also throws
  /// ``FaradayCoding/BodyDecodingError``, ``FaradayCoding/BodyEncodingError``, and the errors of
  /// ``FaradayCore/Connection/send(_:)``.
  ///
  /// - Parameter onProgress: called with the upload's progress on the adapter's thread, in addition to the request's handler.
  ///   The last call, before the response is decoded, reports the whole length: 0 of 0 if there is no body. An unknown length
  ///   is not reported. If the response is rejected, the whole length is not reported either.
  public func perform<Typed: RequestConvertible>(
    _ request: Typed, onProgress: ProgressHandler? = nil
  ) async throws -> TypedResponse<Typed.Resource> {
    try await perform(
      request.request(for: self), validator: request.responseValidator, decoder: request.responseDecoder, onProgress: onProgress)
  }

  /// Sends a request, validates the response and decodes it.
  func perform<Resource>(
    _ request: Request, validator: ResponseValidator, decoder: ResponseDecoder<Resource>, onProgress: ProgressHandler?
  ) async throws -> TypedResponse<Resource> {
    let response = try await send(request, validator: validator, onProgress: onProgress)
    return TypedResponse(try await decoder.decode(response), response: response)
  }

  /// Sends a request, and validates the response. `onProgress` is called with the upload's progress.
  package func send(
    _ request: Request, validator: ResponseValidator = .any, onProgress: ProgressHandler?
  ) async throws -> Response {
    let upload = onProgress.map { UploadProgressReporter($0) }
    let response = try await send(upload?.observing(request, over: stack.capabilities) ?? request)
    do {
      try validator.validate(response, to: request)
    } catch let error as StatusError {
      throw try await error.withBody()
    }
    upload?.end(length: request.body.length)
    return response.accepted()
  }
}
