public import FaradayCore

/// Throws ``FaradayCore/StatusError`` for a response with an unexpected status. 2xx is expected by default, and 101 always.
///
///     connection.use(.statusValidation)                       // 2xx
///     connection.use(.statusValidation([200, 404]))
///     connection.use(.statusValidation(.codes(..<500)))
///
/// Above ``Redirects`` in the list it checks the last response, below it each redirect. The error contains the response. The
/// request's callbacks are not called for it.
public struct StatusValidation: Middleware {
  private let expected: StatusSet
  private let bodyLimit: Int

  /// - Parameters:
  ///   - expected: the expected statuses, 2xx by default.
  ///   - bodyLimit: the number of body bytes that the error keeps if the request has a chunk callback or is streamed. The
  ///     transfer of a longer body is cancelled. 64 KiB by default.
  public init(_ expected: StatusSet = .successful, bodyLimit: Int = 64 << 10) {
    self.expected = expected
    self.bodyLimit = max(0, bodyLimit)
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let response = try await next(request)
    // The server has switched protocols, as the request asks.
    guard response.status != .switchingProtocols else { return response }
    guard !expected.contains(response.status) else { return response }
    let isStreamed = request.options.delivery == .streamed && request.options.onChunk == nil
    if isStreamed {
      let error = StatusError(response, to: request)
      // The body of a success is content, not an error message: the caller can read it from the error as a stream.
      throw response.status.kind == .successful ? error : try await error.collected(upTo: bodyLimit)
    }
    let limit = request.options.onChunk == nil ? request.options.maximumBodySize : bodyLimit
    let (start, isCut) = try await response.started(upTo: limit)
    throw StatusError(start, isBodyCut: isCut, to: request)
  }
}

extension Middleware where Self == StatusValidation {
  /// Throws for every status except 2xx.
  public static var statusValidation: Self { Self() }

  /// Throws for every status except these.
  public static func statusValidation(_ expected: StatusSet, bodyLimit: Int = 64 << 10) -> Self {
    Self(expected, bodyLimit: bodyLimit)
  }
}
