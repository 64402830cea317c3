import Faraday
import FaradayTesting
import Testing

/// 304 responses that try to exhaust the memory of a program, or to end it.
@Suite struct HostileNotModifiedTests {
  private let mock = MockAdapter()
  private let memory = ResponseMemory()

  private func connection() throws -> Connection {
    try Connection("http://host/", adapter: mock, middleware: [.conditionalRequests(memory: memory)])
  }

  /// Answers 304 to a conditional request, each time with so many fields of new names, and otherwise 200.
  private func stub(_ first: Int, notModified count: Int, named name: String? = nil) {
    let round = Log<Int>()
    mock.stub { request in
      round.append(1)
      let isConditional = request.headers.contains(.ifNoneMatch)
      var headers: HTTPFields = [.eTag: "\"a\""]
      for number in 0..<(isConditional ? count : first) {
        try headers.add(name ?? "X-\(round.elements.count)-\(number)", "\(number)")
      }
      return Response(
        status: isConditional ? .notModified : .ok, headers: headers, body: isConditional ? .empty : "a", url: request.url)
    }
  }

  @Test func `the fields that 304 responses add do not accumulate without limit`() async throws {
    stub(4_900, notModified: 4_900)
    let connection = try connection()
    for _ in 1...6 {
      let response = try await connection.get()
      #expect(response.status == .ok && response.headers.count <= 10_000)
      #expect(try await response.body.text() == "a")
    }
  }

  @Test(arguments: [nil, "Set-Cookie", "X-Same", "Age"])
  func `a 304 with as many fields as HTTPFields can hold is not merged, and the request is sent again`(name: String?)
    async throws
  {
    stub(4_900, notModified: 65_000, named: name)
    let connection = try connection()
    for _ in 1...3 { #expect(try await connection.get().headers.count == 4_901) }
    #expect(mock.recorded.count == 5)
  }

  @Test func `a response with more than 10,000 fields is not remembered`() async throws {
    stub(60_000, notModified: 1)
    let connection = try connection()
    for _ in 1...2 { #expect(try await connection.get().headers.count == 60_001) }
    #expect(memory.count == 0)
  }

  @Test func `the fields of a 304 replace those of the same name, however many there are`() async throws {
    stub(4_900, notModified: 4_900, named: "X-Same")
    let connection = try connection()
    for _ in 1...5 { #expect(try await connection.get().headers.count == 4_901) }
    #expect(mock.recorded.count == 5)
  }
}
