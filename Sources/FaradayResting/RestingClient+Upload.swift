public import FaradayCore
public import FaradayPromises
public import FaradayRequests

/// As the `perform`s, for those who want to know how far it is. What is sent is the same: a file, alone or in a form, is read as
/// it is sent, without a copy of it anywhere, and once more if an interceptor sends it once more.
///
/// Progress is that of the body as the adapter tells of it, from 0 again with each attempt; at the end of every success the whole
/// of it has been told, 0 of 0 if there is no body.
extension RestingClient {
  /// Sends a request, and reads its output. An optional one is nil exactly when the body has no bytes.
  ///
  /// - Parameter onProgress: called as bytes leave, on the adapter's thread.
  public func upload<Input, Output>(
    _ request: RestingRequest<Input, Output>, onProgress: @escaping ProgressHandler = { _ in }
  ) async throws -> TypedResponse<Output> {
    try await send(request, decoder: output(), reporting: onProgress)
  }

  /// Sends a request, and looks at no body of the response.
  ///
  /// - Parameter onProgress: called as bytes leave, on the adapter's thread.
  public func upload<Input>(
    _ request: RestingRequest<Input, Nothing>, onProgress: @escaping ProgressHandler = { _ in }
  ) async throws -> TypedResponse<Void> {
    try await send(request, decoder: .none, reporting: onProgress)
  }
}

extension Promising where Caller == RestingClient {
  /// Sends a request at once, and returns a promise of its output that tells of its progress.
  @discardableResult
  public func upload<Input, Output>(
    _ request: RestingRequest<Input, Output>
  ) -> ProgressablePromise<TypedResponse<Output>> {
    ProgressablePromise { report in try await caller.send(request, decoder: caller.output(), reporting: report) }
  }

  /// Sends a request at once, and returns a promise that looks at no body of the response and tells of its progress.
  @discardableResult
  public func upload<Input>(_ request: RestingRequest<Input, Nothing>) -> ProgressablePromise<TypedResponse<Void>> {
    ProgressablePromise { report in try await caller.send(request, decoder: .none, reporting: report) }
  }
}
