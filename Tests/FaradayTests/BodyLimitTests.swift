import Faraday
import FaradayHAL
import FaradayTesting
import FoundationEssentials
import Testing

/// The limit of each call that reads a whole body.
@Suite struct BodyLimitTests {
  private func connection(_ body: Body, limit: Int, _ delivery: Delivery) throws -> Connection {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", headers: [.contentType: "application/json"], body: body)
    var connection = try Connection("http://host/", adapter: mock)
    connection.defaults.maximumBodySize = limit
    connection.defaults.delivery = delivery
    return connection
  }

  @Test func `a connection's lower limit applies to every call that reads a streamed body`() async throws {
    let connection = try connection(#"{"a": 1}"#, limit: 4, .streamed)
    await #expect(throws: BodyError(.tooLarge(limit: 4))) { try await connection.get().decode(JSONValue.self) }
    await #expect(throws: BodyError(.tooLarge(limit: 4))) { try await connection.get().text() }
    await #expect(throws: BodyError(.tooLarge(limit: 4))) { try await connection.get().decodeRepresentation() }
    for decoder in [ResponseDecoder<JSONValue>.json(), ResponseDecoder(data: { try JSONValue(data: $0) })] {
      await #expect(throws: BodyError(.tooLarge(limit: 4))) {
        try await connection.perform(TypedRequest(baseURL: "http://host/", receiving: decoder))
      }
    }
    await #expect(throws: BodyError(.tooLarge(limit: 4))) {
      try await connection.perform(TypedRequest(baseURL: "http://host/", receiving: .text))
    }
    await #expect(throws: BodyError(.tooLarge(limit: 4))) {
      try await connection.perform(TypedRequest(baseURL: "http://host/", receiving: .hal))
    }
    #expect(try await connection.get().decode(JSONValue.self, upTo: 8) == ["a": 1])
  }

  @Test func `a connection's higher limit applies to every call that reads a buffered body`() async throws {
    let size = (64 << 20) + 1
    let connection = try connection(.data(Data(repeating: 0x20, count: size) + Data("{}".utf8)), limit: size * 2, .buffered)
    #expect(try await connection.get().decode([String: Int].self) == [:])
    #expect(try await connection.get().text().utf8.count == size + 2)
    let data = try await connection.perform(TypedRequest(baseURL: "http://host/", receiving: .data)).value
    #expect(data.count == size + 2)
    let text = try await connection.perform(TypedRequest(baseURL: "http://host/", receiving: .text)).value
    #expect(text.utf8.count == size + 2)
  }
}
