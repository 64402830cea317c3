import Faraday
import FaradayWebSocket
import Foundation
import Measuring

/// WebSockets, as an application would use them.
struct WebSocketModes {
  let arguments: Arguments
  let connection: Connection

  init(_ arguments: Arguments, _ connection: Connection) { (self.arguments, self.connection) = (arguments, connection) }

  func work() async throws -> Outcome {
    switch arguments.mode {
    case "ws-receive": try await receive()
    case "ws-send": try await send()
    case "ws-echo": try await echo()
    default: try await idle()
    }
  }

  private func receive() async throws -> Outcome {
    let socket = try await connection.webSocket("flood/\(arguments.bytes)/\(arguments.requests)")
    var outcome = Outcome(bytes: 0)
    for try await message in socket { outcome.bytes += message.data.count }
    return outcome
  }

  private func send() async throws -> Outcome {
    let message = Data(count: arguments.bytes)
    let socket = try await connection.webSocket("sink")
    for _ in 0..<arguments.requests { try await socket.send(message) }
    await socket.close()
    return Outcome(bytes: arguments.bytes * arguments.requests)
  }

  private func echo() async throws -> Outcome {
    let message = Data(count: arguments.bytes)
    let socket = try await connection.webSocket("echo")
    var messages = socket.makeAsyncIterator()
    var outcome = Outcome(bytes: 0)
    let clock = ContinuousClock()
    for _ in 0..<arguments.requests {
      let start = clock.now
      try await socket.send(message)
      outcome.bytes += try await messages.next()?.data.count ?? 0
      outcome.latencies.append(start.duration(to: clock.now))
    }
    await socket.close()
    return outcome
  }

  private func idle() async throws -> Outcome {
    let before = Usage.residentKiB
    var sockets: [WebSocket] = []
    // As many at a time as a listener's queue holds.
    while sockets.count < arguments.concurrency {
      sockets += try await withThrowingTaskGroup(of: WebSocket.self) { group in
        for _ in 0..<min(100, arguments.concurrency - sockets.count) { group.addTask { try await connection.webSocket("idle") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let outcome = try await idleFigures(of: sockets.count, since: before)
    withExtendedLifetime(sockets) {}
    return outcome
  }
}
