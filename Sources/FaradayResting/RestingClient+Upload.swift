public import FaradayCore
public import FaradayPromises
public import FaradayRequests

/// Calls with upload progress. They send what `perform` sends: a file, alone or in a form, is streamed from disk without a
/// temporary copy, and again if an interceptor sends it again.
///
/// Progress is reported as the adapter reports it, from 0 again with each attempt; at the end of every success the whole has
/// been reported, 0 of 0 if there is no body.
extension RestingClient {
  /// Sends a request with upload progress, and decodes its output. An optional is nil exactly when the body is empty.
  ///
  /// - Parameter onProgress: called as bytes are sent, on the adapter's thread.
  public func upload<Input, Output>(
    _ request: RestingRequest<Input, Output>, onProgress: @escaping ProgressHandler = { _ in }
  ) async throws -> TypedResponse<Output> {
    try await send(request, decoder: output(), reporting: onProgress)
  }

  /// Sends a request with upload progress, and ignores the body of the response.
  ///
  /// - Parameter onProgress: called as bytes are sent, on the adapter's thread.
  public func upload<Input>(
    _ request: RestingRequest<Input, Nothing>, onProgress: @escaping ProgressHandler = { _ in }
  ) async throws -> TypedResponse<Void> {
    try await send(request, decoder: .none, reporting: onProgress)
  }
}

extension Promising where Caller == RestingClient {
  /// Sends a request at once, and returns a promise of its decoded output that reports the upload's progress.
  @discardableResult
  public func upload<Input, Output>(
    _ request: RestingRequest<Input, Output>
  ) -> ProgressablePromise<TypedResponse<Output>> {
    ProgressablePromise { report in try await caller.send(request, decoder: caller.output(), reporting: report) }
  }

  /// Sends a request at once, and returns a promise that reports the upload's progress; the body of the response is ignored.
  @discardableResult
  public func upload<Input>(_ request: RestingRequest<Input, Nothing>) -> ProgressablePromise<TypedResponse<Void>> {
    ProgressablePromise { report in try await caller.send(request, decoder: .none, reporting: report) }
  }
}
