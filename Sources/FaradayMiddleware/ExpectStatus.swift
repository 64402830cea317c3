public import FaradayCore

/// Throws ``FaradayCore/UnexpectedStatus`` for a response whose status is not an expected one: 2xx by default.
///
///     connection.use(.expectStatus)                       // 200..<300
///     connection.use(.expectStatus([200, 404]))
///     connection.use(.expectStatus { $0.code < 500 })
///
/// Above ``Redirects`` in the list it checks the last response, below it each redirect. The error has the response; the
/// request's callbacks are not called for it.
public struct ExpectStatus: Middleware {
  private let isExpected: @Sendable (HTTPResponse.Status) -> Bool
  private let bodyLimit: Int

  /// - Parameters:
  ///   - bodyLimit: how many bytes of the body the error keeps where the request has a chunk callback or is streamed; the transfer
  ///     of a longer one is cancelled. 64 KiB by default.
  ///   - isExpected: called once for each response, in the task that sent the request.
  public init(bodyLimit: Int = 64 << 10, where isExpected: @escaping @Sendable (HTTPResponse.Status) -> Bool) {
    self.isExpected = isExpected
    self.bodyLimit = max(0, bodyLimit)
  }

  /// Expects a status code in the range.
  public init(_ codes: some RangeExpression<Int> & Sendable, bodyLimit: Int = 64 << 10) {
    self.init(bodyLimit: bodyLimit) { codes.contains($0.code) }
  }

  /// Expects one of these status codes.
  public init(_ codes: Set<Int>, bodyLimit: Int = 64 << 10) {
    self.init(bodyLimit: bodyLimit) { codes.contains($0.code) }
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let response = try await next(request)
    guard !isExpected(response.status) else { return response }
    let isStreamed = request.options.delivery == .streamed && request.options.onChunk == nil
    if isStreamed {
      let error = UnexpectedStatus(response, to: request)
      // The body of a success is content and not an explanation: who takes it from the error reads it as a stream.
      throw response.status.kind == .successful ? error : try await error.collected(upTo: bodyLimit)
    }
    let limit = request.options.onChunk == nil ? request.options.maximumBodySize : bodyLimit
    let (start, isCut) = try await response.started(upTo: limit)
    throw UnexpectedStatus(start, isBodyCut: isCut, to: request)
  }
}

extension Middleware where Self == ExpectStatus {
  /// Throws for every status but 2xx.
  public static var expectStatus: Self { Self(200..<300) }

  /// Throws for every status code out of the range.
  public static func expectStatus(_ codes: some RangeExpression<Int> & Sendable, bodyLimit: Int = 64 << 10) -> Self {
    Self(codes, bodyLimit: bodyLimit)
  }

  /// Throws for every status code but these.
  public static func expectStatus(_ codes: Set<Int>, bodyLimit: Int = 64 << 10) -> Self { Self(codes, bodyLimit: bodyLimit) }

  /// Throws for every status for which the closure returns false.
  public static func expectStatus(
    bodyLimit: Int = 64 << 10, where isExpected: @escaping @Sendable (HTTPResponse.Status) -> Bool
  ) -> Self {
    Self(bodyLimit: bodyLimit, where: isExpected)
  }
}
