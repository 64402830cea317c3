import Faraday

// The blocks of Swift in EventStreams.md, each as it stands there; ReadmeTests compares them.

enum EventStreamExamples {
  struct Token: Decodable {
    let text: String
  }

  static func events(_ connection: Connection) async throws {
    for try await event in connection.events("prices") {
      print(event.type, event.data, event.id)
    }
  }

  static func reconnections(_ connection: Connection, _ savedID: inout String) async throws -> EventStream {
    var reconnects = EventStream.Reconnection.automatic(limit: .max, maximumDelay: .seconds(60))
    reconnects.onReconnect = { interruption in
      print("again in \(interruption.delay):", interruption.error ?? "the server has ended the stream")
    }
    let prices = connection.events("prices", reconnects: reconnects)
    for try await event in connection.events("prices", headers: ["Last-Event-ID": savedID]) {
      savedID = event.id
    }
    return prices
  }

  static func heartbeat(_ connection: Connection) -> EventStream {
    let quiet = connection.events("prices") { $0.options.timeouts.idle = .seconds(20) }
    return quiet
  }

  static func tokens(_ connection: Connection, _ prompt: [String]) async throws {
    let answer = connection.events("chat", as: Token.self, method: .post, body: .encodable(prompt), until: "[DONE]")
    for try await token in answer { print(token.text, terminator: "") }
  }

  static func elsewhere(_ connection: Connection, _ pieces: [Data]) async throws {
    let response = try await connection.stream("prices")
    for try await event in response.events() { print(event.data) }
    var parser = EventStreamParser()
    for piece in pieces {
      parser.append(piece)
      while let event = try parser.next() { print(event.data) }
    }
  }

  static func sequences(_ connection: Connection, _ response: Response) async throws {
    typealias User = Faces.User
    for try await user in connection.elements("users", as: User.self) { print(user.name) }
    for try await user in response.elements(as: User.self, framing: .sequence, onInvalid: { print("passed over:", $0) }) {
      print(user.name)
    }
  }
}
