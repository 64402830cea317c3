import Faraday
import Testing

/// ``RestingRequest`` as it is printed.
@Suite struct RestingRequestTests {
  @Test(arguments: [
    ("/users/{id}?token=secret#secret", "PUT /users/{id} -> User"), ("", "PUT  -> User"), ("?token=secret", "PUT  -> User"),
    ("http://secret:secret@host/{id}", "PUT http://host/{id} -> User"),
  ])
  func `descriptions of requests show no secrets`(path: String, printed: String) {
    let request = RestingRequest(
      endpoint: Endpoint<User, User>(.put, path, encoding: .json), body: User(name: "secret"),
      headers: [.authorization: "secret", .from: "secret"], variables: ["id": "secret"])
    #expect("\(request)" == printed && "\([request])" == "[\(printed)]" && String(reflecting: request) == printed)
    #expect("\(RestingRequest(endpoint: Endpoint<Void, Void>(.get, "/", encoding: .query)))" == "GET /")
    var dumped = ""
    dump(request, to: &dumped)
    #expect(!dumped.contains("secret"))
  }
}
