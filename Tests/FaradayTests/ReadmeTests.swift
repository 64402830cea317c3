import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct ReadmeTests {
  @Test func `every block of Swift in the README is one that this target compiles`() throws {
    let blocks = try Pages.blocks(of: "README.md")
    #expect(blocks.count >= 19)
    for block in blocks {
      #expect(
        try Pages.isCompiled(block, in: ["ReadmeExamples.swift", "ReadmeFaces.swift", "OverCurl.swift"]),
        "not compiled:\n\(block)")
    }
  }

  @Test func `every block of Swift in 'Writing an adapter' is one that is compiled`() throws {
    let blocks = try Pages.blocks(of: "Sources/FaradayCore/FaradayCore.docc/WritingAnAdapter.md")
    #expect(blocks.count >= 6)
    let files = [
      "EchoAdapter.swift", "EchoConformanceTests.swift", "../OutsideTests/PushingAdapter.swift",
      "../../Sources/FaradayCore/Transport/Adapter.swift",
    ]
    for block in blocks { #expect(try Pages.isCompiled(block, in: files), "not compiled:\n\(block)") }
  }
}

/// What the README shows of the faces is the same call.
@Suite struct ReadmeFacesTests {
  @Test func `four ways of speaking send the same request and read the same answer`() async throws {
    let mock = MockAdapter()
    try mock.stub(
      .post, path: "/v2/users", headers: [.contentType: "application/json"],
      body: #"{"id": 1, "name": "Ada", "_links": {"self": {"href": "/v2/users/1"}}}"#)
    try mock.stub(
      .get, path: "/v2/users/1", headers: [.contentType: "application/hal+json"],
      body: #"{"_embedded": {"friends": {"_embedded": {"first": {"name": "Charles"}}}}}"#)
    let connection = try Connection("https://api.example.com/v2", adapter: mock)
    var users: [Faces.User] = []
    users.append(try await Faces.requests(connection, token: "t"))
    users.append(try await Faces.resting(connection))
    users.append(try await Faces.services(connection))
    users.append(try await Faces.hal(connection))
    #expect(users.map(\.id) == [1, 1, 1, 1] && users.map(\.name) == ["Ada", "Ada", "Ada", "Ada"])
    let posts = mock.recorded.filter { $0.request.method == .post }
    #expect(posts.map(\.request.url.absoluteString) == Array(repeating: "https://api.example.com/v2/users", count: 4))
    #expect(
      posts.map { $0.request.body.data.map { String(decoding: $0, as: UTF8.self) } }
        == Array(repeating: #"{"name":"Ada"}"#, count: 4))
  }
}
