public import FaradayCore
public import FaradayPromises

extension Connection {
  /// Sends a typed request: made a request, through the stack, validated, decoded.
  ///
  /// The connection adds what it adds to every request: its options, and its headers if the request has its origin. A response
  /// over ``FaradayCore/Options/onChunk`` has nothing left to decode.
  ///
  /// Throws ``FaradayCore/UnexpectedStatus`` for what is no success, unless the request validates otherwise;
  /// ``FaradayCoding/UndecodableBody``, ``FaradayCoding/UnencodableBody``, and what ``FaradayCore/Connection/run(_:)`` throws.
  public func perform<Wanted: RequestConvertible>(_ wanted: Wanted) async throws -> TypedResponse<Wanted.Resource> {
    let request = try wanted.request(for: self)
    return try await perform(request, validator: wanted.responseValidator, decoder: wanted.responseDecoder)
  }

  /// Sends a typed request, and returns a promise at once that tells of the upload's progress.
  @discardableResult
  public func perform<Wanted: RequestConvertible>(
    _ wanted: Wanted
  ) -> ProgressablePromise<TypedResponse<Wanted.Resource>> {
    ProgressablePromise { report in
      var request = try wanted.request(for: self)
      reportUpload(of: &request, report)
      return try await perform(request, validator: wanted.responseValidator, decoder: wanted.responseDecoder)
    }
  }

  /// Sends a request, and validates and decodes its response.
  package func perform<Resource>(
    _ request: Request, validator: ResponseValidator, decoder: ResponseDecoder<Resource>
  ) async throws -> TypedResponse<Resource> {
    let response = try await run(request)
    try validator.validate(response, to: request)
    return TypedResponse(try await decoder.decode(response), response: response)
  }

  /// Has the upload's progress reported, if the adapter can, besides whom the request tells of it.
  package func reportUpload(of request: inout Request, _ report: @escaping @Sendable (PromiseProgress) -> Void) {
    guard !request.body.isEmpty, stack.capabilities.contains(.uploadProgress) else { return }
    let told = request.options.onUploadProgress
    request.options.onUploadProgress = { progress in
      told?(progress)
      report(PromiseProgress(bytes: progress.bytes, total: progress.total))
    }
  }
}
