import Faraday

/// The retries of a transfer: after which results, when, and how often, as curl's `--retry`.
struct Retries {
  /// A retry that is due.
  struct Retry: Equatable {
    let delay: Duration
    let warning: String
  }

  private let settings: Operation
  private var left: Int
  private var delay: Duration
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant

  init(_ settings: Operation, now: @escaping () -> ContinuousClock.Instant = { .now }) {
    self.settings = settings
    self.now = now
    left = settings.retries
    delay = settings.retryDelay ?? .seconds(1)
    start = now()
  }

  /// The retry after a result; nil if that is final.
  mutating func next(after report: Report) -> Retry? {
    guard left > 0, settings.retryLimit.map({ now() - start < $0 }) ?? true, let reason = reason(report) else { return nil }
    var wait = delay
    let wallClock = { Int64(Date.now.timeIntervalSince1970) }
    if reason == .status, let asked = report.response?.headers.retryAfter(now: wallClock), asked > .zero {
      wait = max(wait, min(asked, .seconds(1_000_000_000)))
      if let limit = settings.retryLimit, now() - start + wait > limit { return nil }
    }
    let retry = Retry(
      delay: wait,
      warning: "Problem \(reason.rawValue). Will retry in \(wait.components.seconds) seconds. \(left) retries left.")
    left -= 1
    if settings.retryDelay == nil { delay = min(delay * 2, .seconds(600)) }
    return retry
  }

  private enum Reason: String {
    case all = "(retrying all errors)"
    case timeout = ": timeout"
    case refused = ": connection refused"
    case status = ": HTTP error"
  }

  private func reason(_ report: Report) -> Reason? {
    let status = report.exitStatus
    if [5, 6, 28].contains(status) { return .timeout }
    if settings.retriesRefused, status == 7 { return .refused }
    if status == 0 || (status == ExitStatus.httpError && (settings.fails || settings.failsWithBody)),
      let code = report.response?.status.code, [408, 429, 500, 502, 503, 504].contains(code)
    {
      return .status
    }
    return status != 0 && settings.retriesAll ? .all : nil
  }
}
