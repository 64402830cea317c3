public import FaradayCore
public import Logging

/// Writes every exchange to a swift-log `Logger`.
///
///     connection.use(.logger(logger))
///     connection.use(.logger(logger, .full(), level: .debug))
///
/// It logs what passes by its place in the list: the last in the list sees the request as it is sent. What was logged is one
/// event at the exchange's end, that is, at the end of the body, of a streamed one too; ``Detail/full(bodyLimit:)`` has
/// another one before. Each has the metadata `method`, `url`, `status`, `bytes`, `duration`, `error`, and `request-id` if a
/// ``RequestID`` stands above, as far as they are known. A level that is off costs a comparison.
///
/// Nothing outside the program can end a line: control characters are escaped. What ``FaradayCore/Secrets`` names is not
/// shown: the values of those header fields; the values of those items of queries, in the URL and in fields that hold one
/// (`Location`, `Content-Location`, `Referer`, `Link`, `Refresh`); users, passwords, fragments and those parts of paths of these
/// URLs; the values of those fields of forms and those members of JSON. Not searched are other header fields, other kinds of
/// text, and what an error says of itself, but for the request's URL.
public struct ExchangeLogger: Middleware {
  /// How much is said.
  public enum Detail: Sendable, Hashable {
    /// Method, URL, status, size and duration.
    case line
    /// Also all header fields, and of bodies that are text the first bytes, up to the limit; others are described. Streamed
    /// bodies of requests are described, not read.
    case full(bodyLimit: Int = 4096)
  }

  let logger: Logger
  let detail: Detail
  let level: Logger.Level
  let failureLevel: Logger.Level
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - level: what an exchange is logged at.
  ///   - failureLevel: what one is logged at that ended with an error, or with a status from 500 up. A cancelled one is no
  ///     failure.
  ///   - clock: what durations are measured by; tests give one of their own.
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
  /// Writes every exchange to the logger, with what is secret about it left out.
  public static func logger(
    _ logger: Logger, _ detail: ExchangeLogger.Detail = .line, level: Logger.Level = .info,
    failureLevel: Logger.Level = .warning
  ) -> Self {
    Self(logger, detail, level: level, failureLevel: failureLevel)
  }
}
