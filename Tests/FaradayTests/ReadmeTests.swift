import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct ReadmeTests {
  @Test(arguments: Pages.all)
  func `every block of Swift on a page is one that is compiled`(page: String) throws {
    for block in try Pages.blocks(of: page) { #expect(try Pages.isCompiled(block), "not compiled:\n\(block)") }
  }

  @Test func `the pages are the README and the articles, and have blocks of Swift`() throws {
    #expect(Pages.all.contains("README.md") && Pages.all.contains("Sources/FaradayCore/FaradayCore.docc/WritingAnAdapter.md"))
    #expect(Pages.all.count >= 12)
    #expect(try Pages.all.map { try Pages.blocks(of: $0).count }.reduce(0, +) >= 45)
  }

  @Test(arguments: namingPages + ["Tests/README.md"]) func `every file that a page names is there`(page: String) throws {
    #expect(try Pages.paths(in: page).filter { !Pages.exists($0) } == [])
  }

  static let namingPages = Pages.all + [".github/CONTRIBUTING.md", ".github/SECURITY.md", ".github/CHANGELOG.md"]

  @Test(arguments: namingPages) func `every name in backticks exists`(page: String) throws {
    let unknown = try PageNames.unknown(in: page)
    #expect(unknown == [])
  }

  @Test func `a name in backticks that does not exist is found`() {
    #expect(PageNames.unknown(inSpan: "Provenance.merge(_:)") == ["Provenance"])
    #expect(PageNames.unknown(inSpan: "Scripts/teleport --quick") == ["Scripts/teleport"])
    #expect(PageNames.unknown(inSpan: "faraday events --max-events 10") == [])
  }

  @Test func `every foreign name is used on a page`() throws {
    #expect(try PageNames.unusedForeign(in: Self.namingPages) == [])
  }
}

/// What the pages show of typed calls is the same call.
@Suite struct ReadmeFacesTests {
  @Test func `four ways of speaking send the same request and read the same answer`() async throws {
    let mock = MockAdapter()
    try mock.stub(
      .post, path: "/v2/users", headers: [.contentType: "application/json"],
      body: #"{"id": 1, "name": "Ada", "_links": {"self": {"href": "/v2/users/1"}}}"#)
    try mock.stub(
      .get, path: "/v2/users/1", headers: [.contentType: "application/hal+json"],
      body: #"{"_embedded": {"friends": {"_embedded": {"first": {"name": "Charles"}}}}}"#)
    try mock.stub(.get, path: "/v2/users/42", body: #"{"id": 42, "name": "Bob"}"#)
    let connection = try Connection("https://api.example.com/v2", adapter: mock)
    var users: [Faces.User] = []
    users.append(try await Faces.requests(connection, token: "t"))
    users += try await Faces.resting(connection)
    users.append(try await Faces.services(connection))
    users.append(try await Faces.hal(connection))
    #expect(users.map(\.id) == [1, 1, 42, 1, 1] && users.map(\.name) == ["Ada", "Ada", "Bob", "Ada", "Ada"])
    let posts = mock.recorded.filter { $0.request.method == .post }
    #expect(posts.map(\.request.url.absoluteString) == Array(repeating: "https://api.example.com/v2/users", count: 4))
    #expect(
      posts.map { $0.request.body.data.map { String(decoding: $0, as: UTF8.self) } }
        == Array(repeating: #"{"name":"Ada"}"#, count: 4))
  }
}
