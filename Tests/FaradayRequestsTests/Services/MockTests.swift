import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct MockTests {
  @Test(arguments: TestedAdapter.allCases)
  func `a mock's file that is missing, empty or not regular is an error, and nothing is sent`(tested: TestedAdapter) async throws
  {
    let server = try LocalServer()
    let empty = try TemporaryFile(Data())
    for path in ["/nowhere.json", empty.path, "/tmp"] {
      let resource = Example(server, tested).server.get("hello").mock(file: path)
      let error = await #expect(throws: InvalidValueError.self) { try await resource.loadJSON() }
      #expect(error?.kind == .mockFile && error?.value == path)
      #expect(error?.description.hasPrefix("GET \(server.url)/hello: the mock \(path) cannot be used: ") == true)
    }
    #expect(server.requestCount == 0)
  }

  @Test func `an unexpected status of a mock is an error`() async throws {
    let resource = Example(MockAdapter()).server.get("a").mock(data: Data(#"{"reason":"none"}"#.utf8), status: .notFound)
    let error = await #expect(throws: StatusError.self) { try await resource.loadJSON() }
    #expect(error?.errorJSON?["reason"]?.string == "none")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-28: JSON is loaded from a mock's file`(tested: TestedAdapter) async throws {
    struct Message: Decodable, Equatable { let message: String }
    let server = try LocalServer()
    let file = try TemporaryFile(Data(#"{"message":"from a file"}"#.utf8))
    let resource = Example(server, tested).server.post("echo").json(["message": "sent"]).mock(file: file.path)
    #expect(try await resource.loadJSON(Message.self) == Message(message: "from a file"))
    #expect(try await resource.loadJSON()?["message"]?.string == "from a file")
    #expect(server.requestCount == 0)
  }

  @Test func `a mock's type is derived from its file's extension, and the body limit applies to it`()
    async throws
  {
    let path = FileManager.default.temporaryDirectory.path() + "/faraday-\(UUID().uuidString).csv"
    try Data("a,b".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let resource = Example(MockAdapter()).server.get("a")
    #expect(try await resource.mock(file: path).load().headers[.contentType] == "text/csv")
    #expect(try await resource.mock(file: path, headers: [.contentType: "text/x"]).load().headers[.contentType] == "text/x")
    await #expect(throws: BodyError(.tooLarge(limit: 2))) {
      try await resource.mock(file: path).configured { $0.maximumBodySize = 2 }.load()
    }
  }

  @Test func `the error body is not read as JSON if it was cut`() throws {
    let request = try Request(.get, "http://host/")
    let response = Response(status: .notFound, body: "12", url: request.url)
    #expect(StatusError(response, to: request).errorJSON == 12)
    #expect(StatusError(response, isBodyCut: true, to: request).errorJSON == nil)
  }

  @Test func `a mock waits for constraints and passes response interceptors, but no request interceptors`() async throws {
    let mock = MockAdapter()
    let held = Held()
    let interceptors: [any Interceptor] = [
      .request { _ in throw Failed(name: "request") },
      .response { response, _ in response.headers[.server] = "seen" },
    ]
    let example = Example(mock, constraints: [held], interceptors: interceptors)
    let resource = example.server.get("a").mock(data: Data("mine".utf8), headers: [.contentType: "text/mine"])
    let task = Task { try await resource.load() }
    await until { !held.begun.elements.isEmpty }
    held.mayEnd.open()
    let response = try await task.value
    #expect(try await response.body.utf8Text() == "mine")
    #expect(response.headers[.server] == "seen" && response.headers[.contentType] == "text/mine")
    #expect(mock.recorded.isEmpty)
  }

  @Test func `onChunk and the head callback see a mock, and can cancel it`() async throws {
    let seen = Log<String>()
    let mocked = Example(MockAdapter()).server.get("a").mock(data: Data("bytes".utf8), status: .created)
    let resource = mocked.configured { options in
      options.onHead = { seen.append("\($0.status.code)") }
      options.onChunk = { bytes in
        seen.append("\(bytes.byteCount)")
        return .continue
      }
    }
    #expect(try await resource.load().body.isEmpty)
    #expect(seen.elements == ["201", "5"])
    await #expect(throws: CancellationError.self) {
      try await mocked.configured { $0.onChunk = { _ in .cancel } }.load()
    }
  }
}
