#if Observability
public import FaradayCore
public import Metrics
public import Tracing

/// Traces and measures every request as it is sent, by OpenTelemetry's semantic conventions for HTTP clients: a client span,
/// and the histograms `http.client.request.duration`, `http.client.request.body.size` and `http.client.response.body.size`.
///
///     connection.use(.countResends)
///     connection.use(.redirects())
///     connection.use(.retry)
///     connection.use(.observability())
///
/// Add it last, below ``FaradayMiddleware/Redirects``, ``FaradayMiddleware/Retry`` and authorization, so that each attempt has
/// a separate span, a child of the caller's span. With ``CountResends`` above all of them, `http.request.resend_count` numbers
/// the attempts. The tracer injects the context of the span into the request's header fields, such as `traceparent`.
///
/// A span ends with the response's body: when the body has been read to its end, has failed, or was dropped. Its status is an
/// error for a response of 400 or more, and for a request that failed. URLs are redacted by the request's
/// ``FaradayCore/Secrets``, and no header field or body is recorded.
public struct Observability: Middleware {
  private let tracer: (any Tracer)?
  private let metrics: (any MetricsFactory)?
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - tracer: creates the spans; by default the tracer of `InstrumentationSystem` when a request is sent.
  ///   - metrics: creates the histograms; by default the factory of `MetricsSystem` when a request is sent.
  ///   - clock: measures durations; tests pass a manual one.
  public init(
    tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil, clock: any Clock<Duration> = .continuous
  ) {
    self.tracer = tracer
    self.metrics = metrics
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let tracer = tracer ?? InstrumentationSystem.tracer
    let names = ExchangeAttributes(request)
    let span = tracer.startSpan(names.spanName, ofKind: .client)
    let exchange = ObservedExchange(
      names, span, metrics ?? MetricsSystem.factory, bodyLength: request.body.length, elapsed: clock.stopwatch())
    let sent = Self.injecting(span.context, into: request, by: tracer)
    do {
      let response = try await ServiceContext.withValue(span.context) { try await next(sent) }
      return exchange.watching(response)
    } catch {
      exchange.end(failure: error)
      throw error
    }
  }

  private static func injecting(_ context: ServiceContext, into request: Request, by tracer: any Tracer) -> Request {
    var request = request
    tracer.inject(context, into: &request.headers, using: FieldInjector())
    return request
  }
}

/// Writes a context into header fields, and omits invalid names and values.
private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
    guard let name = HTTPField.Name(key), HTTPField.isValidValue(value) else { return }
    fields[name] = value
  }
}

extension Middleware where Self == Observability {
  /// Traces and measures every request as it is sent. See ``FaradayObservability/Observability``.
  public static func observability(tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil) -> Self {
    Self(tracer: tracer, metrics: metrics)
  }
}
#endif
