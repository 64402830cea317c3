import Faraday
import FaradayCurl
import FaradayWebSocket
import TestServers
import Testing

/// WebSockets to servers that others have written, and through a proxy in front of them.
@Suite struct RealServerTests {
  /// Direct, or through nginx in clear text or over TLS.
  enum Route: CaseIterable { case direct, proxied, proxiedOverTLS }

  @Test(arguments: PythonWebSocketServer.Library.allCases, Route.allCases)
  func `messages of all kinds and sizes come back, and the end is seen`(
    library: PythonWebSocketServer.Library, route: Route
  ) async throws {
    let server = try PythonWebSocketServer(library)
    defer { server.stop() }
    let nginx = try NginxServer(upstream: server.port)
    defer { nginx.stop() }
    let url =
      switch route {
      case .direct: "ws://127.0.0.1:\(server.port)/chat"
      case .proxied: "ws://127.0.0.1:\(nginx.port)/upgrade/chat"
      case .proxiedOverTLS: "wss://localhost:\(nginx.tlsPort)/upgrade/chat"
      }
    var connection = Connection(adapter: CurlAdapter())
    connection.defaults.tls.caFile = nginx.caFile
    for compresses in [false, true] {
      var configuration = WebSocket.Configuration()
      configuration.compresses = compresses
      let socket = try await connection.webSocket(url, protocols: ["v1", "v2"], configuration: configuration)
      #expect(socket.subprotocol == "v2")
      #expect((socket.headers[.secWebSocketExtensions] != nil) == compresses)
      var messages = socket.makeAsyncIterator()
      for size in [0, 1, 125, 126, 65_536, 3_000_000] {
        let sent: [WebSocket.Message] = [
          .text(String(repeating: "ä", count: size / 2)), .binary(Data(repeating: 7, count: size)),
        ]
        for message in sent {
          try await socket.send(message)
          #expect(try await messages.next() == message)
        }
      }
      try await socket.send(
        streaming: AsyncStream { continuation in
          for _ in 0..<10 { continuation.yield(Data(count: 10_000)) }
          continuation.finish()
        })
      #expect(try await messages.next() == .binary(Data(count: 100_000)))
      try await socket.ping()
      try await socket.send("close")
      let error = await #expect(throws: WebSocketError.self) { try await messages.next() }
      #expect(error?.reason == .closed(try #require(socket.closure)))
      #expect(socket.closure?.code?.rawValue == 4001)
      #expect(socket.closure?.reason == "bye")
    }
  }
}
