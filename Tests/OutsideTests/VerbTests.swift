import Faraday
import FaradayTesting
import Foundation
import Testing

/// The calls that a new user types first, over both adapters.
@Suite struct VerbTests {
  private struct Seen: Decodable {
    var method: String
    var bodyText: String
  }

  private struct User: Codable, Equatable {
    var name: String
    var age: Int
  }

  private struct Login: Encodable {
    var user = "Ada"
    var isNew = true
  }

  private let server: LocalServer

  init() throws { server = try LocalServer() }

  @Test(arguments: Over.allCases) func `a typed call throws the status of an error response`(over: Over) async throws {
    let api = try Connection(server.url + "/", adapter: over.adapter)
    let missing = try Request(server.url + "/status/404")
    let calls: [@Sendable () async throws -> User] = [
      { try await api.get("status/404", as: User.self) }, { try await api.delete("status/404", as: User.self) },
      { try await api.post("status/404", json: ["a": 1, "b": "c"], as: User.self) },
      { try await api.post("status/404", form: ["a": 1, "b": "c"], as: User.self) },
      { try await api.put("status/404", json: User(name: "x", age: 3), as: User.self) },
      { try await api.patch("status/404", form: Login(), as: User.self) },
      { try await api.query("status/404", body: Data("x".utf8), as: User.self) },
      { try await api.send(missing, as: User.self) },
    ]
    for call in calls {
      let error = await #expect(throws: StatusError.self) { _ = try await call() }
      #expect(error?.status == .notFound && error?.response.body.data != nil)
    }
    await #expect(throws: BodyDecodingError.self) { try await api.get("hello", as: User.self) }
    await #expect(throws: BodyDecodingError.self) { try await api.delete("status/204", as: User.self) }
    #expect(try await api.get("status/204", as: User?.self) == nil)
  }

  @Test func `an invalid header field of the connection is an error of each request, and no trap`() async throws {
    #expect(throws: InvalidValueError.self) { try Connection(server.url, headers: ["no token": "x"], adapter: Over.curl.adapter) }
    var connection = Connection(headers: ["X-A": "line\r\nbreak"], adapter: Over.curl.adapter)
    await #expect(throws: InvalidValueError.self) { try await connection.get(server.url + "/hello") }
    connection.headers = [.accept: "text/plain"]
    #expect(try await connection.get(server.url + "/hello").status == .ok)
    let twice = try Connection(
      server.url, headers: ["User-Agent": "x", "X-Twice": "1", "X-Twice": "2"], adapter: Over.curl.adapter)
    let seen = try await twice.get("inspect").text()
    #expect(seen.contains("User-Agent") && seen.components(separatedBy: "X-Twice").count > 1)
  }

  @Test(arguments: Over.allCases) func `every body argument works with every method that has a body`(over: Over) async throws {
    let api = try Connection(server.url + "/", adapter: over.adapter)
    let (name, data, user) = ("Ada", Data("bytes".utf8), User(name: "x", age: 3))
    let verbs = [("POST", api.post), ("PUT", api.put), ("PATCH", api.patch), ("DELETE", api.delete), ("QUERY", api.query)]
    for (method, verb) in verbs {
      func expect(_ body: String, _ seen: Seen) { #expect(seen.method == method && seen.bodyText == body) }
      let mixed = try await verb("inspect", json: ["name": name, "age": 3, "tags": ["a"]], as: Seen.self)
      expect(#"{"age":3,"name":"Ada","tags":["a"]}"#, mixed)
      expect(#"{"name":"x"}"#, try await verb("inspect", json: ["name": "x"], as: Seen.self))
      expect(#"{"age":3,"name":"x"}"#, try await verb("inspect", json: user, as: Seen.self))
      expect(#"{"user":{"age":3,"name":"x"}}"#, try await verb("inspect", json: ["user": user], as: Seen.self))
      expect("name=Ada&age=3&name=b", try await verb("inspect", form: ["name": name, "age": 3, "name": "b"], as: Seen.self))
      expect("b=1&a=2&b=3", try await verb("inspect", form: ["b": "1", "a": "2", "b": "3"], as: Seen.self))
      expect("user=Ada&isNew=true", try await verb("inspect", form: Login(), as: Seen.self))
      expect("bytes", try await verb("inspect", body: data, as: Seen.self))
      expect("text", try await verb("inspect", body: "text", as: Seen.self))
      expect("", try await verb("inspect", as: Seen.self))
      expect(#"{"age":3,"name":"x"}"#, try await verb("inspect", json: user).decode())
      expect(#"{"a":1,"b":"c"}"#, try await verb("inspect", json: ["a": 1, "b": "c"]).decode())
      expect("a=1&b=c", try await verb("inspect", form: ["a": 1, "b": "c"]).decode())
      expect("user=Ada&isNew=true", try await verb("inspect", form: Login()).decode())
      expect("bytes", try await verb("inspect", body: data).decode())
      expect("Ada", try await verb("inspect", body: .text(name)) { $0.headers[.accept] = "a/b" }.decode())
    }
  }

  @Test func `a repeated name in a literal is no trap`() async throws {
    let api = try Connection(server.url + "/", adapter: Over.curl.adapter)
    for body in [try Body.json(["a": "1", "a": "2"]), .form(["a": "1", "a": "2"])] {
      #expect(try await api.post("inspect", body: body, as: Seen.self).bodyText.contains("a"))
    }
    #expect(try await api.post("inspect", json: ["a": "1", "a": "2"], as: Seen.self).bodyText.hasPrefix(#"{"a":"#))
    #expect(try await api.post("inspect", form: ["a": "1", "a": "2"], as: Seen.self).bodyText == "a=1&a=2")
    let bodies: [BodyProvider] = [.json(["a": "1", "a": "2"]), .form(["a": "1", "a": "2"])]
    for body in bodies {
      var headers: HTTPFields = [:]
      #expect(try body.body(updating: &headers).isReplayable)
    }
  }

  @Test(arguments: Over.allCases) func `a request with any method has the same arguments`(over: Over) async throws {
    let api = try Connection(server.url + "/", adapter: over.adapter)
    let method = try #require(HTTPRequest.Method("REPORT"))
    func expect(_ body: String, _ response: Response) async throws {
      let seen = try await response.decode(Seen.self)
      #expect(seen.method == "REPORT" && seen.bodyText == body)
    }
    try await expect(#"{"a":1,"b":"c"}"#, api.send(method, "inspect", json: ["a": 1, "b": "c"]))
    try await expect(#"{"age":3,"name":"x"}"#, api.send(method, "inspect", json: User(name: "x", age: 3)))
    try await expect("b=1&a=2&b=3", api.send(method, "inspect", form: ["b": "1", "a": "2", "b": "3"]))
    try await expect("user=Ada&isNew=true", api.send(method, "inspect", form: Login()))
    try await expect("bytes", api.send(method, "inspect", body: Data("bytes".utf8)))
    try await expect("text", api.send("REPORT", "inspect", body: "text"))
    #expect(try await api.send(api.request(.get, "inspect"), as: Seen.self).method == "GET")
  }

  @Test(arguments: Over.allCases) func `a path can be a URL, a string or a substring`(over: Over) async throws {
    let api = try Connection(server.url + "/", adapter: over.adapter)
    let url = try #require(URL(string: server.url + "/hello?a=b%20c"))
    let relative = try #require(URL(string: "hello"))
    #expect(try await api.get(url).url == url)
    #expect(try await api.get(relative).status == .ok)
    #expect(try await api.head("hello/x".prefix(5)).status == .ok)
    #expect(try await api.post(try #require(URL(string: server.url + "/echo")), body: "x").text() == "x")
    #expect(try await api.send(.put, url).status == .ok)
    #expect(try api.request(.get, url).url == url)
    for try await piece in try await api.stream(url).body { #expect(!piece.isEmpty) }
    var pages = 0
    for try await _ in api.pages(url) { pages += 1 }
    #expect(pages == 1)
  }

  @Test func `a URL of another origin is sent without the connection's headers`() async throws {
    let api = try Connection("https://api.example/", headers: ["Authorization": "secret"], adapter: Over.curl.adapter)
    let other = try api.request(.get, try #require(URL(string: "https://other.example/")))
    #expect(other.isCrossOrigin && other.headers[.authorization] == nil)
    let own = try api.request(.get, try #require(URL(string: "https://api.example/x")))
    #expect(!own.isCrossOrigin && own.headers[.authorization] == "secret")
  }

  @Test(arguments: Over.allCases) func `a coder of the connection is used unless a call has its own`(over: Over) async throws {
    struct Record: Codable, Equatable { var userName: String }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var defaults = Options()
    (defaults.jsonEncoder, defaults.jsonDecoder) = (encoder, decoder)
    let api = try Connection(server.url + "/", defaults: defaults, adapter: over.adapter, middleware: [.jsonEncoding])
    let record = Record(userName: "x")
    #expect(try await api.post("inspect", json: record, as: Seen.self).bodyText == #"{"user_name":"x"}"#)
    #expect(try await api.post("inspect", json: record, encoder: JSONEncoder(), as: Seen.self).bodyText == #"{"userName":"x"}"#)
    #expect(try await api.post("inspect", body: .encodable(record), as: Seen.self).bodyText == #"{"user_name":"x"}"#)
    #expect(try await api.post("echo", body: #"{"user_name":"x"}"#, as: Record.self) == record)
    #expect(try await api.post("echo", body: #"{"user_name":"x"}"#).decode(Record.self) == record)
    #expect(try await api.promise.post("echo", json: record).value.decode(Record.self) == record)
    await #expect(throws: BodyDecodingError.self) {
      try await api.post("echo", body: #"{"user_name":"x"}"#, as: Record.self, decoder: JSONDecoder())
    }
    let concurrent = try await withThrowingTaskGroup(of: Record.self) { group in
      for index in 0..<50 { group.addTask { try await api.post("echo", json: Record(userName: "\(index)"), as: Record.self) } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1.userName) }
    }
    #expect(concurrent.count == 50)
  }

  @Test(arguments: Over.allCases) func `files are named by URLs or paths`(over: Over) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "files \(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a b%.txt")
    try Data("content".utf8).write(to: file)
    let api = try Connection(server.url + "/", adapter: over.adapter)
    #expect(throws: BodyError.self) { try Body.file(try #require(URL(string: "https://host/a"))) }
    #expect(throws: BodyError.self) { try Body.file(folder) }
    #expect(try await api.post("echo", body: .file(file)).text() == "content")
    #expect(try await api.post("echo", body: .file(file.path(percentEncoded: false))).text() == "content")
    var form = MultipartForm()
    try form.append(name: "file", file: file)
    #expect(form.parts.first?.filename == "a b%.txt" && FormFile(file).path == file.path(percentEncoded: false))
    let copy = folder.appending(path: "copy")
    #expect(try await api.download("bytes/10", to: copy).size == 10)
    #expect(try Data(contentsOf: copy).count == 10)
    let many = try await api.downloads([DownloadItem("bytes/7", to: folder.appending(path: "7"))])
    #expect(try many.map { try $0.get().size } == [7])
    let listed = try await api.downloads([try #require(URL(string: server.url + "/bytes/9"))], to: folder)
    #expect(try listed.map { try $0.get().size } == [9] && Data(contentsOf: folder.appending(path: "9")).count == 9)
  }
}
