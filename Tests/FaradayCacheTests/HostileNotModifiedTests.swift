import Faraday
import FaradayCache
import FaradayTesting
import Testing

/// 304 responses that try to exhaust the memory of a program, or to end it.
@Suite struct HostileNotModifiedTests {
  private let mock = MockAdapter()
  private let memory = MemoryCache()

  private func connection() throws -> Connection {
    try Connection("http://host/", adapter: mock, middleware: [.cache(in: memory, policy: .alwaysRevalidate)])
  }

  /// An `ETag`, and so many fields of one name, or of names with that prefix.
  private static func fields(_ count: Int, named name: String? = nil, prefix: String) -> HTTPFields {
    let names = (0..<count).compactMap { HTTPField.Name(name ?? "\(prefix)-\($0)") }
    return HTTPFields([HTTPField(name: .eTag, value: "\"a\"")] + names.map { HTTPField(name: $0, value: "1") })
  }

  /// Answers 304 with the update to a conditional request, and otherwise 200 with so many fields.
  private func stub(_ count: Int, named name: String? = nil, notModified update: @escaping @Sendable () -> HTTPFields) {
    let first = Self.fields(count, named: name, prefix: "X-First")
    mock.stub { request in
      guard request.headers.contains(.ifNoneMatch) else {
        return Response(status: .ok, headers: first, body: "a", url: request.url)
      }
      return Response(status: .notModified, headers: update(), url: request.url)
    }
  }

  @Test func `the fields that 304 responses add do not accumulate without limit`() async throws {
    let round = Log<Int>()
    stub(4_900) {
      round.append(1)
      return Self.fields(4_900, prefix: "X-\(round.elements.count)")
    }
    let connection = try connection()
    for _ in 1...6 {
      let response = try await connection.get()
      #expect(response.status == .ok && response.headers.count <= 10_000)
      #expect(try await response.body.utf8Text() == "a")
    }
  }

  @Test(arguments: [nil, "Set-Cookie", "X-Same", "Age"])
  func `a 304 with as many fields as HTTPFields can hold is not merged, and the request is sent again`(name: String?)
    async throws
  {
    let update = Self.fields(65_000, named: name, prefix: "X-New")
    stub(4_900) { update }
    let connection = try connection()
    for _ in 1...3 { #expect(try await connection.get().headers.count == 4_901) }
    #expect(mock.recorded.count == 5)
  }

  @Test func `a response with more than 10,000 fields is not stored`() async throws {
    stub(60_000) { [:] }
    let connection = try connection()
    for _ in 1...2 { #expect(try await connection.get().headers.count == 60_001) }
    #expect(memory.count == 0)
  }

  @Test func `the fields of a 304 replace those of the same name, however many there are`() async throws {
    stub(4_900, named: "X-Same") { Self.fields(4_900, named: "X-Same", prefix: "") }
    let connection = try connection()
    for _ in 1...5 { #expect(try await connection.get().headers.count == 4_901) }
    #expect(mock.recorded.count == 5)
  }
}
