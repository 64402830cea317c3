import FaradayCore
import FoundationEssentials
import TestSupport
import Testing

@Suite struct PathTemplateTests {
  private let impossible: [(PathTemplate, PathTemplate.Problem)] = [
    ("/{id}/{none}", .missing("none")), ("/{id", .unclosed), ("/{}", .invalidName("")), ("/{{id}}", .invalidName("{id")),
    ("/x{?id}", .invalidName("?id")), ("/{id*}", .invalidName("id*")), ("/{up}/x", .dotSegment("up")),
    ("/{here}", .dotSegment("here")), ("/{here}{here}", .dotSegment("here")), ("/{here}./x", .dotSegment("here")),
    ("/.{here}/x", .dotSegment("here")),
    ("/{up}?a=1", .dotSegment("up")), ("/{up}#a", .dotSegment("up")),
    ("/{nothing}", .empty("nothing")),
  ]

  @Test func `an array is one segment with commas, and an empty array is an empty value`() throws {
    #expect(try PathTemplate("/users/{ids}/x").path(["ids": [1, 2, 3]]) == "/users/1%2C2%2C3/x")
    #expect(throws: InvalidValueError.self) { try PathTemplate("/users/{ids}/x").path(["ids": [Int]()]) }
  }

  @Test(arguments: [
    ("https://u:hidden@h/x?token=hidden&y={id}", ""), ("/x?filter={\"token\":\"hidden\"}", ""), ("/a\n{b", ""),
    ("/{id}", "hid\nden"),
    (String(repeating: "x", count: 100_000) + "{", ""),
  ])
  func `an error is one short line without secrets`(template: String, unused: String) throws {
    let error = try #require(throws: InvalidValueError.self) {
      try PathTemplate(template).path(unused.isEmpty ? [:] : ["id": 1, unused: 2])
    }
    for shown in ["\(error)", String(reflecting: error), error.errorDescription ?? ""] {
      #expect(!shown.contains("hidden") && !shown.contains { $0.isNewline } && shown.utf8.count < 4096)
    }
  }

  @Test(arguments: [
    ("users/{id}?all={all}", "https://h/v1/users/7?all=1", "/v1/users/{id}"),
    ("/users/{id}/", "https://h/users/7/", "/users/{id}"),
    ("https://h/{a}/{b}.json#x", "https://h/1/2.json", "/{a}/{b}.json"), ("../{id}", "https://h/7", "../{id}"),
    ("https://ada:pw@h/../{id}?key=hidden", "https://h/7?key=hidden", "/../{id}"),
    ("{id}", "https://h/v1/caf%C3%A9", "/v1/{id}"), ("", "https://h", "/"),
  ])
  func `an absolute template starts at the root and keeps the base path`(template: String, url: String, absolute: String) throws {
    let url = try #require(URL(string: url))
    #expect(PathTemplate(template).absolute(in: url) == absolute)
    #expect(PathTemplate(absolute).matches(url) != absolute.contains(".."))
  }

  @Test func `an invalid path is an error with its reason`() {
    for (template, reason) in impossible {
      let error = #expect(throws: InvalidValueError.self) {
        try template.path(["id": 1], defaults: ["up": "..", "here": ".", "nothing": ""])
      }
      // A redacted URL has no fragment.
      #expect(error?.kind == .path(reason) && error?.value == String(template.text.prefix { $0 != "#" }))
    }
    let error = #expect(throws: InvalidValueError.self) { try PathTemplate("/{id}").path() }
    #expect(error.map { "\($0)" } == "the path /{id} has no value for {id}: pass one, or write a literal brace as %7B")
  }

  @Test func `a value without a variable is an error, and a default without one is not`() throws {
    let error = #expect(throws: InvalidValueError.self) { try PathTemplate("/{id}").path(["id": 1, "page": 2, "name": "x"]) }
    #expect(error?.kind == .path(.unknown("name")) && error.map { "\($0)" } == "the path /{id} has no variable {name}")
    #expect(try PathTemplate("/{id}").path(["id": 1], defaults: ["id": 2, "page": 2]) == "/1")
  }

  @Test func `values can be strings, numbers, Booleans, UUIDs and enums`() throws {
    enum Sort: String, ParameterValue { case name }
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      try PathTemplate("/{a}/{b}/{c}/{d}/{e}").path(["a": "x y", "b": 2.5, "c": true, "d": uuid, "e": Sort.name])
        == "/x%20y/2.5/true/E621E1F8-C36C-495A-93FC-0C247A3E6E5F/name")
  }

  @Test(arguments: ["/%2e{dot}/x", "/{dot}%2E", "/{up}/\u{301}x", "/{up}?\u{301}"])
  func `every spelling of a dot segment is refused, even before an accent`(template: String) {
    #expect(
      #expect(throws: InvalidValueError.self) { try PathTemplate(template).path(defaults: ["dot": ".", "up": ".."]) }?.isPath
        == true)
  }

  @Test func `a variable is recognized before an accent`() throws {
    #expect(try PathTemplate("/{x}\u{301}/\u{301}{x}").path(["x": "a"]) == "/a\u{301}/\u{301}a")
  }

  @Test func `RK-12: a value replaces its variable`() throws {
    #expect(try PathTemplate("/{id}").path(["id": 42]) == "/42")
  }

  @Test func `RK-13, RK-14: values of a provider are used, and the request's take precedence`() throws {
    let path = try PathTemplate("/v{version}/{ id }").path(["id": "request"], defaults: ["id": "provider", "version": 2])
    #expect(path == "/v2/request")
  }

  @Test func `a value cannot leave its path segment`() throws {
    #expect(try PathTemplate("/a/{x}/b").path(["x": "../c?d#e f%é"]) == "/a/..%2Fc%3Fd%23e%20f%25%C3%A9/b")
    #expect(try PathTemplate("/a/{x}").path(["x": "{y}"]) == "/a/%7By%7D")
    #expect(try PathTemplate("/a?in=/{x}").path(["x": ".."]) == "/a?in=/..")
    #expect(try PathTemplate("/{x}b/{x}.c").path(["x": "."]) == "/.b/..c")
    #expect(try PathTemplate("/plain").path() == "/plain")
  }
}
