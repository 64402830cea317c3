import Faraday
import Foundation
import Testing

@testable import FaradaySwiftTesting
@testable import FaradayTesting

@Suite struct CassetteTraitTests {
  @Test func `the trait records, replays, and fails for unknown requests and unused recordings`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trait-\(UUID())").path()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mock = MockAdapter { request in .text(request.path) }
    let test = try #require(Test.current)
    func run(_ paths: String...) async throws -> [String] {
      let texts = Log<String>()
      let trait: CassetteTrait = .cassette("users", over: mock, mode: .once, filePath: folder + "/UserTests.swift")
      try await trait.provideScope(for: test, testCase: nil) {
        let connection = try Connection("http://host/", adapter: Cassette.current)
        for path in paths { texts.append(try await connection.get(path).text()) }
      }
      return texts.elements
    }
    #expect(try await run("a", "b") == ["/a", "/b"])
    #expect(FileManager.default.fileExists(atPath: folder + "/Cassettes/users.har"))
    #expect(try await run("b", "a") == ["/b", "/a"])
    #expect(mock.recorded.count == 2)
    let unused = await #expect(throws: CassetteError.self) { _ = try await run("a") }
    #expect(unused?.reason == .unused(["GET http://host/b"]))
    let unknown = await #expect(throws: CassetteError.self) { _ = try await run("a", "c") }
    #expect(unknown?.request?.url == "http://host/c")
    let name = "the trait records, replays, and fails for unknown requests and unused recordings"
    let advice = "(to record again: FARADAY_CASSETTES=always swift test --filter '\(name.replacing(",", with: "."))')"
    #expect(unknown?.description.hasSuffix(advice) == true)
  }

  @Test(arguments: [
    ("users()", "users"), ("users(count:)", "users"), ("`a user's \"name\" (1)`()", "a user.s .name. .1."),
    ("`a`(b:)", "a"), ("größe()", "größe"),
  ])
  func `the advice of errors names the test`(name: String, filter: String) {
    #expect(CassetteTrait.filter(name) == filter)
  }

  @Test func `a test without the trait has no cassette`() {
    #expect(throws: CassetteError.self) { try Cassette.current }
  }

  @Test func `nothing is written if the closure throws`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "thrown-\(UUID())").path()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mock = MockAdapter(.text("a"))
    await #expect(throws: CancellationError.self) {
      try await withCassette("users", over: mock, mode: .once, filePath: folder + "/UserTests.swift") { cassette in
        _ = try await Connection("http://host/", adapter: cassette).get()
        throw CancellationError()
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
