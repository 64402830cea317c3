/// The kind of a frame (RFC 6455, section 5.2).
enum Opcode: UInt8, Sendable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  /// Whether it is a control frame: short, never fragmented, and allowed between the fragments of a message.
  var isControl: Bool { rawValue >= 8 }
}

/// A violation of the protocol by the server: the connection is closed with that code (RFC 6455, section 7.1.7).
struct Violation: Error, Equatable {
  let code: WebSocket.CloseCode
  let problem: String

  init(_ code: WebSocket.CloseCode, _ problem: String) {
    self.code = code
    self.problem = problem
  }

  /// A violation of the rules for frames.
  static func malformed(_ problem: String) -> Violation { Violation(.protocolError, problem) }
}
