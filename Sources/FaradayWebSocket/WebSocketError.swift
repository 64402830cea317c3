public import FaradayCore

/// The error of a WebSocket: its handshake, a violation of the protocol, or its end.
///
/// Failures of the connection throw ``FaradayCore/TransportError``. A handshake that is answered with another status than 101
/// throws ``FaradayCore/StatusError``.
public struct WebSocketError: FaradayError, CustomReflectable {
  /// The reason.
  public enum Reason: Sendable, Hashable {
    /// The response with the status 101 does not open a WebSocket, for this reason.
    case handshake(String)
    /// The server has violated the protocol or exceeded a limit: the connection was closed with that code.
    case violation(WebSocket.CloseCode, String)
    /// The server has closed the connection with another code than 1000 and 1001. A close without a code is not an error.
    case closed(WebSocket.Closure)
    /// The connection has ended without a close frame.
    case interrupted
    /// No byte has arrived for a while after a ping.
    case pingTimeout
    /// The message was not sent, because the connection is closed or closing.
    case notOpen
  }

  /// The reason.
  public let reason: Reason
  /// The method and redacted URL of the handshake's request.
  public let request: RequestSummary?

  init(_ reason: Reason, request: RequestSummary?) {
    self.reason = reason
    self.request = request
  }

  init(_ reason: Reason, _ request: Request) { self.init(reason, request: RequestSummary(request)) }

  public var isTimeout: Bool { reason == .pingTimeout }

  public var isTransient: Bool {
    switch reason {
    case .interrupted, .pingTimeout: true
    case .closed(let closure):
      [.internalError, .serviceRestart, .tryAgainLater].contains(closure.code ?? .normal)
    case .handshake, .violation, .notOpen: false
    }
  }

  public var description: String {
    let what =
      switch reason {
      case .handshake(let problem): "no WebSocket was opened: \(problem.escapingControls())"
      case .violation(let code, let problem): "\(problem): the WebSocket was closed with the code \(code)"
      case .closed(let closure):
        "the server has closed the WebSocket \(closure.code.map { "with the code \($0)" } ?? "without a code")"
          + (closure.reason.isEmpty ? "" : ": \(closure.reason.escapingControls())")
      case .interrupted: "the connection of the WebSocket has ended without a close frame"
      case .pingTimeout: "the server has sent nothing after a ping"
      case .notOpen: "the WebSocket is closed"
      }
    return naming(what)
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A reason within this module, where the request is not known.
struct Problem: Error, Equatable {
  let reason: WebSocketError.Reason

  static func handshake(_ problem: String) -> Problem { Problem(reason: .handshake(problem)) }
}
