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

  /// Sends a request, and validates and decodes its response.
  ///
  /// - Parameter report: told of the upload as the adapter tells of it, besides whom the request tells. When the response is
  ///   accepted it has been told of all of it: the body's length, 0 of 0 if there is none.
  package func perform<Resource>(
    _ request: Request, validator: ResponseValidator, decoder: ResponseDecoder<Resource>,
    reporting report: ProgressHandler? = nil
  ) async throws -> TypedResponse<Resource> {
    let upload = report.map { UploadReport($0) }
    let response = try await run(upload?.following(request, over: stack.capabilities) ?? request)
    try validator.validate(response, to: request)
    upload?.end(length: request.body.length)
    return TypedResponse(try await decoder.decode(response, to: request.method), response: response)
  }
}

extension Connection {
  /// Sends a request as it is; `report` is told of its upload as ``perform(_:validator:decoder:reporting:)`` tells it.
  package func run(_ request: Request, reporting report: @escaping ProgressHandler) async throws -> Response {
    let upload = UploadReport(report)
    let response = try await run(upload.following(request, over: stack.capabilities))
    upload.end(length: request.body.length)
    return response
  }

  /// The connection's calls as promises: `connection.promise.get("users")`.
  public var promise: Promising<Connection> { Promising(self) }
}

extension Promising where Caller == Connection {
  /// Sends a typed request at once, and returns a promise that tells of the upload's progress: as the adapter does, and of the
  /// whole when the response has been accepted.
  @discardableResult
  public func perform<Wanted: RequestConvertible>(
    _ wanted: Wanted
  ) -> ProgressablePromise<TypedResponse<Wanted.Resource>> {
    ProgressablePromise { [caller] report in
      try await caller.perform(
        try wanted.request(for: caller), validator: wanted.responseValidator, decoder: wanted.responseDecoder,
        reporting: report)
    }
  }
}
