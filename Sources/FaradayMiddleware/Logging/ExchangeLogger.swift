public import FaradayCore
public import Logging

/// Logs every request and response to a swift-log `Logger`, with secrets redacted.
///
///     connection.use(.logger(logger))
///     connection.use(.logger(logger, .full(), level: .debug))
///
/// It logs the requests that reach its position in the list: at the end of the list it logs requests as they are sent. There is
/// one event for each exchange, at the end of its body, also for a streamed body. ``Detail/full(bodyLimit:)`` adds an event
/// before sending. The metadata is `method`, `url`, `status`, `bytes`, `duration`, `error`, and `request-id` if a ``RequestID``
/// is above, as far as they are known. A disabled level costs one comparison.
///
/// Control characters are escaped, so that no server can forge a line of the log. The secrets that ``FaradayCore/Secrets``
/// names are redacted: values of header fields; values of query items, in the URL and in headers that contain a URL
/// (`Location`, `Content-Location`, `Referer`, `Link`, `Refresh`); users, passwords, fragments and secret parts of the path of
/// these URLs; values of form fields and JSON members. Not redacted are other header fields, other kinds of text, and
/// descriptions of errors, except for the request's URL.
public struct ExchangeLogger: Middleware {
  /// The amount of detail.
  public enum Detail: Sendable, Hashable {
    /// Method, URL, status, size and duration.
    case line
    /// Also all header fields, and the beginning of text bodies, up to the limit in bytes. Other bodies are described. Streamed
    /// request bodies are described, not read.
    case full(bodyLimit: Int = 4096)
  }

  let logger: Logger
  let detail: Detail
  let level: Logger.Level
  let failureLevel: Logger.Level
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - level: the level of an exchange. `info` by default.
  ///   - failureLevel: the level of an exchange that ended with an error, or with a status of 500 or more. `warning` by
  ///     default. Cancellation is not a failure.
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
    let log: ExchangeHooks.Hook = { self.log($0) }
    let hooks = ExchangeHooks(detail, onStart: detail == .line ? nil : log, onEnd: log, clock: clock)
    return try await hooks.handle(request, next: next)
  }

  private func log(_ exchange: ExchangeRecord) {
    let isFailure =
      exchange.outcome == .failed || exchange.outcome != .cancelled && exchange.status.map { $0.code >= 500 } == true
    logger.log(level: isFailure ? failureLevel : level, "\(exchange)", metadata: Self.metadata(of: exchange))
  }

  private static func metadata(of exchange: ExchangeRecord) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["method": "\(exchange.method)", "url": "\(exchange.url)"]
    if let requestID = exchange.requestID { metadata["request-id"] = "\(requestID)" }
    if let duration = exchange.duration { metadata["duration"] = .stringConvertible(duration) }
    if let status = exchange.status {
      metadata["status"] = .stringConvertible(status.code)
      metadata["bytes"] = .stringConvertible(exchange.byteCount)
    }
    if let error = exchange.error { metadata["error"] = "\(error)" }
    return metadata
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
