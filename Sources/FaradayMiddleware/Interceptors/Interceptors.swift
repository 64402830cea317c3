public import FaradayCore

/// Runs interceptors before requests are sent and after responses have arrived.
///
///     connection.use(.interceptors([
///       .request { request in request.headers[.acceptLanguage] = "cy" },
///       .response { response, _ in if response.status == .noContent { throw NothingThere() } },
///     ]))
///
/// Request interceptors run in the order of the list; response interceptors run in reverse order, as middleware does. With
/// `forward:` they run in the order of the list too.
///
/// - Response interceptors run after success and failure. After an error of the transport, of a request interceptor or of the
///   previous response interceptor, ``ResponseInterceptor/recover(from:for:)`` is called. Its response or error is passed to
///   the next interceptor. The response or error of the last one is the result.
/// - After an error of a request interceptor the remaining request interceptors do not run and nothing is sent. The response
///   interceptors get the request with the changes up to then.
/// - A `CancellationError` is thrown at once, and no interceptor is called.
///
/// An interceptor sees the head of a response: a streamed body has not arrived yet, and bytes that a callback has received
/// cannot be withdrawn. To send a request again, or to return a response without sending it, write a
/// ``FaradayCore/Middleware``.
public struct Interceptors: Middleware {
  private let requests: [any RequestInterceptor]
  private let responses: [any ResponseInterceptor]

  /// Creates the middleware. Response interceptors run in reverse order.
  public init(_ interceptors: [any Interceptor]) {
    self.init(requests: interceptors, responses: interceptors.reversed())
  }

  /// Creates the middleware. Response interceptors run in the order of the list, as request interceptors do.
  public init(forward interceptors: [any Interceptor]) {
    self.init(requests: interceptors, responses: interceptors)
  }

  /// Creates the middleware from two lists, each in its own order; interceptors of the other kind are ignored.
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
  /// Runs interceptors; response interceptors in reverse order.
  public static func interceptors(_ interceptors: [any Interceptor]) -> Self { Self(interceptors) }

  /// Runs interceptors; response interceptors in the order of the list.
  public static func interceptors(forward interceptors: [any Interceptor]) -> Self { Self(forward: interceptors) }
}
