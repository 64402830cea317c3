import Faraday
import FaradayTesting
import FaradayWebSocket

// The blocks of Swift in WebSockets.md, each as it stands there; ReadmeTests compares them.

enum WebSocketExamples {
  static func messages(_ connection: Connection, _ pieces: AsyncStream<Data>) async throws {
    let socket = try await connection.webSocket("chat", protocols: ["v2"])
    try await socket.send("hello")
    for try await message in socket {
      print(message.text ?? "\(message.data.count) bytes")
    }
    try await socket.send(streaming: pieces)
    await socket.close(.normal, reason: "done")
  }

  static func settings(_ connection: Connection) async throws -> WebSocket {
    var configuration = WebSocket.Configuration()
    configuration.maximumMessageSize = 1 << 20
    configuration.pingInterval = .seconds(20)
    configuration.compresses = true
    let feed = try await connection.webSocket("feed", configuration: configuration)
    return feed
  }

  static func reconnections(_ connection: Connection) async throws {
    let prices = connection.webSocketMessages("prices") { socket in
      try await socket.send("subscribe EUR")
    }
    for try await message in prices {
      print(message)
    }
  }

  static func upgrade(_ connection: Connection, _ outgoing: AsyncStream<Data>) async throws {
    let request = try connection.request(.get, "tunnel") {
      $0.options.upgrade = Upgrade(to: "my-protocol", sending: .stream(outgoing))
      $0.options.delivery = .streamed
    }
    let response = try await connection.send(request)
    guard response.status == .switchingProtocols else { throw StatusError(response, to: request) }
    for try await bytes in response.body { print(bytes.count) }
  }

  static func server() throws -> WebSocketServer {
    let server = try WebSocketServer { client in
      let question = try client.readMessage()
      try client.send("you sent \(question.payload.count) bytes")
      try client.close(code: 1000)
    }
    return server
  }
}
