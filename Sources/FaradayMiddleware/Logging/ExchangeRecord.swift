public import FaradayCore
private import Synchronization

/// A redacted description of one exchange, at its start or its end. Secrets are redacted and control characters are escaped, as
/// in ``ExchangeLogger``.
public struct ExchangeRecord: Sendable, Identifiable {
  /// The state of an exchange: running, or the way in which it ended.
  public enum Outcome: Sendable, Hashable {
    /// The request is about to be sent.
    case running
    /// The response's body has ended.
    case complete
    /// The reader stopped before the end of the body.
    case abandoned
    /// The task was cancelled.
    case cancelled
    /// The exchange failed with ``ExchangeRecord/error``.
    case failed
  }

  /// A request or a response: header fields, trailers, and the beginning of a text body or a description of another body.
  public struct Message: Sendable, Hashable {
    /// The header fields, redacted.
    public let headers: HTTPFields
    /// The beginning of the body if it is text, redacted; otherwise a description of it.
    public let body: String
    /// The trailer fields, redacted.
    public let trailers: HTTPFields
  }

  /// The number of the exchange in this process, equal in the records of its start and its end.
  public let id: Int
  /// The date at which it began.
  public let date: Date
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The whole URL, without its secrets.
  public let url: String
  /// ``FaradayCore/Options/requestID``, if a ``RequestID`` is above.
  public let requestID: String?
  /// The request; nil unless the detail is ``ExchangeLogger/Detail/full(bodyLimit:)``.
  public let request: Message?

  /// The outcome; ``Outcome/running`` in the record of the start.
  public internal(set) var outcome = Outcome.running
  /// The time from its start to its end; nil while it is running.
  public internal(set) var duration: Duration?
  /// The response's status; nil if there was no response.
  public internal(set) var status: HTTPResponse.Status?
  /// The number of bytes of the response's body.
  public internal(set) var byteCount = 0
  /// The text of the error that was thrown.
  public internal(set) var error: String?
  /// The response; nil if there was none, or if the detail is ``ExchangeLogger/Detail/line``.
  public internal(set) var response: Message?

  private static let lastID = Atomic(0)

  init(_ request: Request, _ secrets: Secrets, limit: Int?) {
    id = Self.lastID.add(1, ordering: .relaxed).newValue
    date = Date()
    method = request.method
    url = secrets.redacting(request.url).escapingControls()
    requestID = request.options.requestID?.escapingControls()
    self.request = limit.map { Message(request, secrets, limit: $0) }
  }
}

extension ExchangeRecord: CustomStringConvertible {
  /// `GET https://host/users 200, 512 bytes in 12.3 ms`; with full detail, followed by the lines of the request or, at the end,
  /// of the response.
  public var description: String {
    guard let duration else { return (["\(method) \(url)"] + (request?.lines(">") ?? [])).joined(separator: "\n") }
    let much = status == nil ? "after \(duration.shown)" : "after \(byteCount) bytes and \(duration.shown)"
    let ending =
      switch outcome {
      case .running, .complete: "\(byteCount) bytes in \(duration.shown)"
      case .abandoned: "left \(much)"
      case .cancelled: "cancelled \(much)"
      case .failed: "failed \(much): \(error ?? "")"
      }
    let line = "\(method) \(url)\(status.map { " \($0.code)," } ?? "") \(ending)"
    return ([line] + (response?.lines("<") ?? [])).joined(separator: "\n")
  }
}

extension Duration {
  /// The duration in milliseconds, with one decimal.
  fileprivate var shown: String {
    // The caller's clock may return any duration.
    let tenths = Int64((withinClocks / .microseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
