import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

private struct Person: Codable, Equatable {
  var id: Int
  var name: String
}

// The README's example of services.
private struct Users: WebService {
  let serverURL: String
  let network: any WebServiceNetworkInterface

  func user(_ id: Int) -> NetworkResource { server.get("users/\(id)").tag("users") }
  func add(_ user: Person) -> NetworkResourceWithBody { server.post("users").json(user) }
}

@Suite struct ReadmeServiceTests {
  @Test(arguments: TestedAdapter.allCases)
  func `the example of the documentation works`(tested: TestedAdapter) async throws {
    let ada = Response.status(.ok, body: #"{"id":42,"name":"Ada"}"#)
    let server = try MockServer(ada, ada, .status(.created))
    let network = ServiceNetwork(Connection(adapter: tested.adapter, middleware: .standard))
    let users = Users(serverURL: server.url + "/v2", network: network)
    let user = try await users.user(42).loadJSON(Person.self)
    let name: String = try await users.user(42).query(["fields": ["id", "name"]]).promise { try await $0.loadJSON(Person.self) }
      .map(\.name).value
    try await users.add(user).timeout(.seconds(10)).load()
    #expect(user == Person(id: 42, name: "Ada") && name == "Ada")
    #expect(
      server.recorded.map(\.line) == ["GET /v2/users/42", "GET /v2/users/42?fields=id,name", "POST /v2/users"])
  }
}
