import Faraday
import FaradayTesting
import Testing

// Examples for the documentation. They are compiled and run here.
private func resting(_ file: FormFile, over adapter: some Adapter) async throws -> (User, User?) {
  let headers = RestingHeaderProvider()
  headers.set(name: "Authorization") { "Bearer " + "token" }
  let client = try RestingClient(
    "https://api.example.com/v2", adapter: adapter,
    converter: RestingRequestConverter(.init(contextPath: "/users", headerProvider: headers)), interceptors: [.retry])

  let create = Endpoint<User, User>(.post, "", encoding: .json)
  let find = Endpoint<Void, User?>(.get, "/{id}", encoding: .query)
  let portray = Endpoint<FormFile, Void>(.put, "/{id}/portrait", encoding: .file)

  let ada = try await client.perform(RestingRequest(endpoint: create, body: User(name: "Ada"))).value
  let nobody = try await client.perform(RestingRequest(endpoint: find, variables: ["id": 42])).value
  _ = try await client.perform(RestingRequest(endpoint: portray, body: file, variables: ["id": 1])) { progress in
    print(progress.fraction ?? 0)
  }
  return (ada, nobody)
}

@Suite struct RestingExamples {
  @Test func `the example works`() async throws {
    let mock = MockAdapter()
    try mock.stub(.post, path: "/v2/users", status: .created, body: #"{"name": "Ada", "age": 36}"#)
    try mock.stub(.get, path: "/v2/users/42", status: .noContent)
    try mock.stub(.put, path: "/v2/users/1/portrait")
    let file = try TemporaryFile(pattern(10))
    let (ada, nobody) = try await resting(FormFile(file.path), over: mock)
    #expect(ada == User(name: "Ada") && nobody == nil && mock.recorded.last?.body.count == 10)
    #expect(mock.recorded.allSatisfy { $0.request.headers[.authorization] == "Bearer token" })
  }
}
