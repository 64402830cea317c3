import Faraday
import FaradayHAL
import FaradayTesting
import TestSupport
import Testing

/// A traversal step by step.
@Suite struct TraversalTests {
  private let pages: [String: PageServer.Page] = [
    "/": #"{"n": 0, "_links": {"a": {"href": "/deep/a"}}}"#,
    "/deep/a": #"{"n": 1, "_links": {"gone": {"href": "elsewhere/gone"}, "text": {"href": "text"}, "b": {"href": "b"}}}"#,
    "/deep/b": #"{"n": 2}"#, "/deep/text": PageServer.Page(.text("a")),
  ]

  @Test(arguments: TestedAdapter.allCases)
  func `a failed traversal keeps the fetched representations and resumes there`(tested: TestedAdapter) async throws {
    let server = try PageServer(pages)
    var traversal = try Connection(server.url, adapter: tested.adapter).traversal()
    #expect(server.targets.isEmpty)
    for missing in ["a/gone", "text", "nothing"] {
      await #expect(throws: HALError.self) { try await traversal.follow(missing) }
      #expect(traversal.representations.map { $0.properties["n"] } == [0, 1])
    }
    // Links are resolved against where the last one came from, and not against where there was nothing.
    try await traversal.follow("b")
    #expect(traversal.representations.map { $0.properties["n"] } == [0, 1, 2])
    #expect(server.targets == ["/", "/deep/a", "/deep/elsewhere/gone", "/deep/text", "/deep/b"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a traversal that could not start starts again, and an empty path only fetches the start`(tested: TestedAdapter)
    async throws
  {
    let server = try PageServer()
    var traversal = try Connection(server.url, adapter: tested.adapter).traversal(from: HALLink(rel: "start", href: "/deep/a"))
    let error = await #expect(throws: HALError.self) { try await traversal.follow("") }
    #expect(error?.url == server.url + "/deep/a" && error?.relation == "start" && traversal.representations.isEmpty)
    server.add("/deep/a", #"{"n": 1}"#)
    try await traversal.follow("")
    try await traversal.follow("")
    #expect(traversal.representations.count == 1 && server.targets == ["/deep/a", "/deep/a"])
  }

  @Test func `a copy of a traversal is independent`() async throws {
    let server = try PageServer(pages)
    var traversal = try Connection(server.url, adapter: TestedAdapter.curl.adapter).traversal()
    try await traversal.follow("a")
    var copy = traversal
    try await copy.follow("b")
    #expect(traversal.representations.count == 2 && copy.representations.count == 3)
  }
}
