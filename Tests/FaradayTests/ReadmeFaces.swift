import Faraday
import FaradayCurl
import FaradayHAL
import FoundationEssentials

// The blocks of Swift about promises and typed calls in README.md and the articles, each as it stands there; ReadmeTests compares
// them.

func promises(_ connection: Connection, _ file: Body) async throws {
  connection.promise.get("users").map(\.status)
    .onSuccess { status in print(status) }
    .onFailure { error in print(error) }

  let upload = connection.promise.put("backup", body: file)
  for await progress in upload.progress { print(progress.fraction ?? 0) }

  let both = connection.promise.get("a").zip(connection.promise.get("b")).timeout(.seconds(5))
  upload.cancel()
  let (a, b) = try await both.value
  _ = (a, b)
}

@MainActor final class Backup {
  var fraction = 0.0
  var result = ""

  func start(_ connection: Connection, _ file: Body) {
    connection.promise.put("backup", body: file)
      .progress(on: .main) { progress in self.fraction = progress.fraction ?? 0 }
      .onSuccess(on: .main) { response in self.result = "\(response.status)" }
      .onFailure(on: .main) { error in self.result = "\(error)" }
  }
}

enum Faces {
  struct User: Codable, Sendable {
    var id: Int?
    var name: String
  }

  static func lines(_ connection: Connection) async throws {
    for try await line in connection.lines("log") { print(line) }
    for try await user in connection.elements("users", as: User.self) { print(user.name) }
  }

  enum API: RequestProviding {
    case production, staging
    var baseURL: String { self == .production ? "https://api.example.com/v2" : "https://staging.example.com/v2" }
  }

  static func requests(_ connection: Connection, token: String) async throws -> User {
    let newUser = API.production.post(.json(User(name: "Ada")), to: "users")
      .authorized(with: .bearer(token))
      .receiving(.json(User.self))
    let ada = try await connection.perform(newUser).value
    return ada
  }

  static func resting(_ connection: Connection) async throws -> [User] {
    let createUser = Endpoint<User, User>(.post, "/users")
    let getUser = Endpoint<Void, User>(.get, "/users/{id}")
    let client = RestingClient(connection)
    let ada = try await client.perform(RestingRequest(endpoint: createUser, body: User(name: "Ada"))).value
    let bob = try await client.perform(RestingRequest(endpoint: getUser, variables: ["id": 42])).value
    return [ada, bob]
  }

  static func services(_ connection: Connection) async throws -> User {
    struct Users: WebService {
      let serverURL = "https://api.example.com/v2"
      let network: any WebServiceNetworkInterface

      func create(_ user: User) -> NetworkResourceWithBody { server.post("users").json(user).tag("users") }
    }

    let users = Users(network: ServiceNetwork(connection))
    let ada = try await users.create(User(name: "Ada")).loadJSON(User.self)
    return ada
  }

  static func hal(_ connection: Connection) async throws -> User {
    let sent = try Representation(encoding: User(name: "Ada"))
    let stored = try await connection.perform(
      API.production.post(.hal(sent), to: "users").receiving(.hal)
    ).value
    let ada = try stored.decode(User.self)
    let friends = try await connection.follow("friends/first", from: stored.selfLink).last
    _ = friends
    return ada
  }
}
