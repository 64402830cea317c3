public import FaradayCore

/// Runs interceptors on the way down and on the way up.
///
///     connection.use(.interceptors([
///       .request { request in request.headers[.acceptLanguage] = "cy" },
///       .response { response, _ in if response.status == .noContent { throw NothingThere() } },
///     ]))
///
/// Request interceptors run in the order of the list; response interceptors in the reverse, as an onion has it, or with
/// `forward:` in the order of the list too.
///
/// - Response interceptors run on every outcome. After an error, be it the transport's, a request interceptor's or that of
///   the response interceptor before, it is ``ResponseInterceptor/recover(from:for:)`` that is called; what it returns is
///   a response for the next one, and what it throws an error for the next one. The last outcome is the caller's.
/// - After an error of a request interceptor the other request interceptors do not run and nothing is sent; the response
///   interceptors get the request as it was by then.
/// - A `CancellationError` is thrown at once, and no interceptor sees it: nobody waits for a response any more.
///
/// Interceptors see heads: a streamed body is still to come, and what a callback has seen cannot be taken back. One that
/// sends again, or answers without sending, is a middleware.
public struct Interceptors: Middleware {
  private let requests: [any RequestInterceptor]
  private let responses: [any ResponseInterceptor]

  /// Responses go through them in the reverse order of requests.
  public init(_ interceptors: [any Interceptor]) {
    self.init(requests: interceptors, responses: interceptors.reversed())
  }

  /// Responses go through them in the listed order, as requests do.
  public init(forward interceptors: [any Interceptor]) {
    self.init(requests: interceptors, responses: interceptors)
  }

  /// Each list in its own order; what is in the wrong one is passed over.
  package init(requests: [any Interceptor] = [], responses: [any Interceptor] = []) {
    self.requests = requests.compactMap { $0 as? any RequestInterceptor }
    self.responses = responses.compactMap { $0 as? any ResponseInterceptor }
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    var outcome: Result<Response, any Error>
    do {
      for interceptor in requests { request = try await interceptor.intercept(request) }
      outcome = .success(try await next(request))
    } catch {
      outcome = .failure(error)
    }
    for interceptor in responses {
      do {
        switch outcome {
        case .success(let response): outcome = .success(try await interceptor.intercept(response, for: request))
        case .failure(let error as CancellationError): throw error
        case .failure(let error): outcome = .success(try await interceptor.recover(from: error, for: request))
        }
      } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }
}

extension Middleware where Self == Interceptors {
  /// Runs interceptors, responses in the reverse order of requests.
  public static func interceptors(_ interceptors: [any Interceptor]) -> Self { Self(interceptors) }

  /// Runs interceptors, responses in the listed order.
  public static func interceptors(forward interceptors: [any Interceptor]) -> Self { Self(forward: interceptors) }
}
