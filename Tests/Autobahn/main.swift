import FaradayCore
import FaradayCurl
import FaradayWebSocket

// The client of the Autobahn test suite's fuzzing server: echoes the messages of each case. `Scripts/autobahn` runs both.
//
//   autobahn-client [URL-OF-THE-SERVER]

let url = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:9001"
let connection = try Connection(url, adapter: CurlAdapter())
var configuration = WebSocket.Configuration()
configuration.compresses = true
configuration.minimumCompressedSize = 0
configuration.pingInterval = nil
configuration.maximumMessageSize = 64 << 20

let counter = try await connection.webSocket("getCaseCount", configuration: configuration)
var count = 0
for try await message in counter { count = Int(message.text ?? "") ?? 0 }
for number in 1...max(1, count) {
  let socket = try await connection.webSocket(
    "runCase", query: ["case": number, "agent": "Faraday"], configuration: configuration)
  do {
    for try await message in socket { try await socket.send(message) }
  } catch is WebSocketError {
    // The server judges how the connection ended.
  }
  await socket.close()
}
let report = try await connection.webSocket("updateReports", query: ["agent": "Faraday"], configuration: configuration)
for try await _ in report {}
print("\(count) cases")
