public import FaradayCore

/// Calls closures at the start and at the end of every exchange with a redacted record of it, for custom logs or metrics.
///
///     connection.use(.exchangeHooks(onStart: { print("-->", $0) }, onEnd: { print("<--", $0) }))
///
/// It sees the requests that reach its position in the list, as an ``ExchangeLogger`` does. Each closure is called once per
/// exchange, and the exchange waits for it: `onStart` before the request is passed on; `onEnd` when the body has ended, the
/// exchange has failed, or the body's reader is released. The closures are called in the task that sends or reads; `onEnd` also
/// where the reader is released. To see redacted values, write a middleware.
public struct ExchangeHooks: Middleware {
  /// Called with a redacted record of the exchange, in the task that sends it or reads its body.
  public typealias Hook = @Sendable (_ exchange: ExchangeRecord) -> Void

  let detail: ExchangeLogger.Detail
  let onStart: Hook?
  let onEnd: Hook?
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - detail: whether records have header fields and bodies.
  ///   - onStart: called before the request is passed on.
  ///   - onEnd: called at the end of the exchange.
  ///   - clock: measures durations; tests pass a manual one.
  public init(
    _ detail: ExchangeLogger.Detail = .line, onStart: Hook? = nil, onEnd: Hook? = nil, clock: any Clock<Duration> = .continuous
  ) {
    self.detail = detail
    self.onStart = onStart
    self.onEnd = onEnd
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let exchange = LoggedExchange(request, for: self, elapsed: clock.stopwatch())
    do {
      var response = try await next(request)
      exchange.begin(response)
      if response.body.isStreamed {
        response.body = response.body.logged(by: exchange)
      } else {
        if let data = response.body.data { exchange.take(data.span.bytes) }
        exchange.end()
      }
      return response
    } catch {
      exchange.end(.failed(error))
      throw error
    }
  }
}

extension Middleware where Self == ExchangeHooks {
  /// Calls closures at the start and at the end of every exchange.
  public static func exchangeHooks(
    _ detail: ExchangeLogger.Detail = .line, onStart: ExchangeHooks.Hook? = nil, onEnd: ExchangeHooks.Hook? = nil
  ) -> Self {
    Self(detail, onStart: onStart, onEnd: onEnd)
  }

  /// Stores every exchange in the log, by default with header fields and the beginning of bodies.
  public static func exchangeLog(_ log: ExchangeLog, _ detail: ExchangeLogger.Detail = .full()) -> Self {
    Self(detail, onStart: { log.start($0) }, onEnd: { log.end($0) })
  }
}
