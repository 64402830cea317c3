public import FaradayCore
public import Logging

/// Logs every request and response to a swift-log `Logger`, with secrets redacted.
///
///     connection.use(.logger(logger))
///     connection.use(.logger(logger, .full(), level: .debug))
///
/// It logs what passes its place in the list: as the last one it logs requests as they are sent. There is one event for each
/// exchange, at the end of its body, also of a streamed one; ``Detail/full(bodyLimit:)`` has another one before sending. The
/// metadata is `method`, `url`, `status`, `bytes`, `duration`, `error`, and `request-id` if a ``RequestID`` stands above, as
/// far as they are known. A level that is disabled costs a comparison.
///
/// Control characters are escaped, so that no server can forge a line of the log. What ``FaradayCore/Secrets`` names is
/// redacted: values of header fields; values of query items, in the URL and in headers that hold a URL (`Location`,
/// `Content-Location`, `Referer`, `Link`, `Refresh`); users, passwords, fragments and secret parts of the path of these URLs;
/// values of form fields and JSON members. Not searched are other header fields, other kinds of text, and what an error says of
/// itself, except for the request's URL.
public struct ExchangeLogger: Middleware {
  /// How much is logged.
  public enum Detail: Sendable, Hashable {
    /// Method, URL, status, size and duration.
    case line
    /// Also all header fields, and the beginning of bodies that are text, up to the limit in bytes; others are described.
    /// Streamed request bodies are described, not read.
    case full(bodyLimit: Int = 4096)
  }

  let logger: Logger
  let detail: Detail
  let level: Logger.Level
  let failureLevel: Logger.Level
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - level: the level of an exchange. `info` by default.
  ///   - failureLevel: the level of one that ended with an error, or with a status of 500 or more. `warning` by default.
  ///     Cancellation is no failure.
  ///   - clock: measures durations; tests pass a manual one.
  public init(
    _ logger: Logger, _ detail: Detail = .line, level: Logger.Level = .info, failureLevel: Logger.Level = .warning,
    clock: any Clock<Duration> = .continuous
  ) {
    self.logger = logger
    self.detail = detail
    self.level = level
    self.failureLevel = failureLevel
    self.clock = clock
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard logger.logLevel <= max(level, failureLevel) else { return try await next(request) }
    let exchange = LoggedExchange(request, by: self, elapsed: Self.stopwatch(clock))
    exchange.logRequest(request)
    do {
      var response = try await next(request)
      exchange.begin(response)
      if response.body.isStreamed {
        response.body = .stream(
          LoggedPieces(body: response.body, exchange: exchange), length: response.body.length,
          isReplayable: response.body.isReplayable)
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

  private static func stopwatch<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}

extension Middleware where Self == ExchangeLogger {
  /// Logs every exchange to the logger, with secrets redacted. See ``FaradayMiddleware/ExchangeLogger``.
  public static func logger(
    _ logger: Logger, _ detail: ExchangeLogger.Detail = .line, level: Logger.Level = .info,
    failureLevel: Logger.Level = .warning
  ) -> Self {
    Self(logger, detail, level: level, failureLevel: failureLevel)
  }
}
