import Faraday
import FaradayHAL
import FaradayTesting
import FoundationEssentials
import Testing

/// The JSON coders of a connection, in all styles of calls.
@Suite struct ConnectionCoderTests {
  private struct Record: Codable, Equatable, Sendable {
    var userName = "x"
  }

  private enum API: RequestProviding {
    case only
    var baseURL: String { "https://api.test/" }
  }

  private struct Records: WebService {
    let serverURL = "https://api.test"
    let network: any WebServiceNetworkInterface
  }

  private let mock = MockAdapter(isStrict: false)

  private func connection() throws -> Connection {
    mock.stub { request in
      Response(
        status: .ok, headers: [.contentType: "application/hal+json"],
        body: .data(Data(#"{"user_name":"x","_embedded":{"a":{"user_name":"y"}}}"#.utf8)), url: request.url)
    }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var defaults = Options()
    (defaults.jsonEncoder, defaults.jsonDecoder) = (encoder, decoder)
    return try Connection("https://api.test/", defaults: defaults, adapter: mock)
  }

  private var bodies: [String] { mock.recorded.map { String(decoding: $0.body, as: UTF8.self) } }

  @Test func `a coder of a typed call wins`() async throws {
    let connection = try connection()
    let (plain, encoder) = (JSONDecoder(), JSONEncoder())
    let typed = API.only.post(.json(Record(), using: encoder), to: "a").receiving(.json(Record.self, using: plain))
    await #expect(throws: BodyDecodingError.self) { try await connection.perform(typed) }
    await #expect(throws: BodyDecodingError.self) { try await connection.get(as: Record.self, decoder: plain) }
    await #expect(throws: BodyDecodingError.self) { try await connection.get().decode(Record.self, decoder: plain) }
    let created = Endpoint<Record, Record>(.post, "a", encoding: .json)
    await #expect(throws: BodyDecodingError.self) {
      try await RestingClient(connection, decoder: plain).perform(RestingRequest(endpoint: created, body: Record()))
    }
    let page = try await connection.get().decodeRepresentation()
    #expect(throws: BodyDecodingError.self) { try page.decode(Record.self, using: plain) }
    #expect(bodies == [#"{"userName":"x"}"#, "", "", #"{"user_name":"x"}"#, ""])
  }

  @Test func `every style of calls uses the connection's coders`() async throws {
    let connection = try connection()
    let typed = API.only.post(.json(Record()), to: "a").receiving(.json(Record.self))
    #expect(try await connection.perform(typed).value == Record())
    let created = Endpoint<Record, Record>(.post, "a", encoding: .json)
    let client = RestingClient(connection)
    #expect(try await client.perform(RestingRequest(endpoint: created, body: Record())).value == Record())
    let records = Records(network: ServiceNetwork(connection))
    #expect(try await records.server.post("a").json(Record()).loadJSON(Record.self) == Record())
    _ = try await connection.promise.post("a", json: Record()).value
    #expect(bodies == Array(repeating: #"{"user_name":"x"}"#, count: 4))
    for try await page in connection.pages("a") { #expect(try await page.decode(Record.self) == Record()) }
  }

  @Test func `the properties of a representation and of its embedded representations are decoded by it`() async throws {
    var connection = try connection()
    let page = try await connection.get().decodeRepresentation()
    #expect(try page.decode(Record.self) == Record())
    #expect(try page.embedded(for: "a").map { try $0.decode(Record.self) } == [Record(userName: "y")])
    connection.use(.halDecoding)
    let read = try #require(try await connection.get().representation)
    #expect(try read.decode(Record.self) == Record() && read == page)
  }

  @Test func `an error response has the decoder`() async throws {
    var connection = try connection()
    connection.use { request, next in
      var response = try await next(request)
      response.status = .badRequest
      return response
    }
    let error = await #expect(throws: StatusError.self) { try await connection.get(as: Record.self) }
    #expect(try await error?.response.decode(Record.self) == Record())
  }
}
