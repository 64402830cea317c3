public import FaradayCore
public import FaradayPromises

extension Connection {
  /// Sends a typed request: builds the request, sends it through the middleware, validates the response and decodes it.
  ///
  /// The connection adds what it adds to every request: its options, and its headers if the request has its origin. A cross-origin
  /// one, such as `API.staging` over the connection of production, gets neither them nor credentials of its middleware, see
  /// ``FaradayRequests/RequestConvertible/baseURL``. A response that ``FaradayCore/Options/onChunk`` has consumed has no body to
  /// decode.
  ///
  /// Throws ``FaradayCore/UnexpectedStatus`` for a status other than 2xx, unless the request validates otherwise;
  /// ``FaradayCoding/UndecodableBody``, ``FaradayCoding/UnencodableBody``, and what ``FaradayCore/Connection/run(_:)`` throws.
  public func perform<Typed: RequestConvertible>(_ request: Typed) async throws -> TypedResponse<Typed.Resource> {
    let built = try request.request(for: self)
    return try await perform(built, validator: request.responseValidator, decoder: request.responseDecoder)
  }

  /// Sends a request, validates the response and decodes it.
  ///
  /// - Parameter report: called with the upload's progress, in addition to the request's own handler. When the response is
  ///   accepted it has been called with the whole: the body's length, 0 of 0 if there is none.
  package func perform<Resource>(
    _ request: Request, validator: ResponseValidator, decoder: ResponseDecoder<Resource>,
    reporting report: ProgressHandler? = nil
  ) async throws -> TypedResponse<Resource> {
    let upload = report.map { UploadProgressReporter($0) }
    let response = try await run(upload?.observing(request, over: stack.capabilities) ?? request)
    do {
      try validator.validate(response, to: request)
    } catch let error as UnexpectedStatus {
      throw try await error.collected()
    }
    upload?.end(length: request.body.length)
    return TypedResponse(try await decoder.decode(response), response: response)
  }
}

extension Connection {
  /// Sends a request; `report` is called with the upload's progress as by ``perform(_:validator:decoder:reporting:)``.
  package func run(_ request: Request, reporting report: @escaping ProgressHandler) async throws -> Response {
    let upload = UploadProgressReporter(report)
    let response = try await run(upload.observing(request, over: stack.capabilities))
    upload.end(length: request.body.length)
    return response
  }

  /// The promise-returning variants of the connection's methods: `connection.promise.get("users")`.
  public var promise: Promising<Connection> { Promising(self) }
}

extension Promising where Caller == Connection {
  /// Sends a typed request at once, and returns a promise that reports the upload's progress: as the adapter does, and the
  /// whole when the response has been accepted.
  @discardableResult
  public func perform<Typed: RequestConvertible>(
    _ request: Typed
  ) -> ProgressablePromise<TypedResponse<Typed.Resource>> {
    ProgressablePromise { [caller] report in
      try await caller.perform(
        try request.request(for: caller), validator: request.responseValidator, decoder: request.responseDecoder,
        reporting: report)
    }
  }
}
