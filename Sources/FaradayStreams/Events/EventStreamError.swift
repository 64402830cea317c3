public import FaradayCore

/// The error of an event stream that cannot be read: its response has another content type, it exceeds a limit, or it ends too
/// early.
///
/// Transport failures throw ``FaradayCore/TransportError``, and a status other than 200 and 204 throws
/// ``FaradayCore/StatusError``.
public struct EventStreamError: FaradayError, CustomReflectable {
  /// The reason why the stream cannot be read.
  public enum Reason: Sendable, Hashable {
    /// The response's `Content-Type` is not `text/event-stream`; nil if it has none.
    case contentType(String?)
    /// A line is longer than ``EventStreamLimits/line``, or has no end within it.
    case lineTooLong(limit: Int)
    /// The data of an event is larger than ``EventStreamLimits/event``.
    case eventTooLarge(limit: Int)
    /// The stream ended before the sentinel event (`until:`).
    case endedEarly
  }

  /// The reason why the stream cannot be read.
  public let reason: Reason
  /// The method and redacted URL of the request; nil if the stream was read from a response or by an ``EventStreamParser``.
  public private(set) var request: RequestSummary?
  /// The response; its body has been read already, unless its content type is wrong. Nil if there was no response.
  public private(set) var response: Response?

  init(_ reason: Reason, request: RequestSummary? = nil, response: Response? = nil) {
    self.reason = reason
    self.request = request
    self.response = response
  }

  func about(_ request: RequestSummary?, _ response: Response?) -> EventStreamError {
    EventStreamError(reason, request: self.request ?? request, response: self.response ?? response)
  }

  public var description: String {
    let what =
      switch reason {
      case .contentType(let type?): "the response is not an event stream: its Content-Type is \(Self.shown(type))"
      case .contentType(nil): "the response is not an event stream: it has no Content-Type"
      case .lineTooLong(let limit): "a line of the event stream is longer than the limit of \(limit) bytes"
      case .eventTooLarge(let limit): "the data of an event is larger than the limit of \(limit) bytes"
      case .endedEarly: "the event stream ended before its last event"
      }
    return naming(what)
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  private static func shown(_ type: String) -> String { type.bounded(to: 80).escapingControls() }
}
