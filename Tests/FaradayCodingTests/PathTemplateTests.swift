import FaradayCoding
import FaradayCore
import Testing

@Suite struct PathTemplateTests {
  private let impossible: [(PathTemplate, PathTemplateError.Reason)] = [
    ("/{{id}}/{{none}}", .missing("none")), ("/{{id", .unclosed), ("/{{ }}", .unnamed), ("/{{up}}/x", .dotSegment("up")),
    ("/{{here}}", .dotSegment("here")), ("/{{here}}{{here}}", .dotSegment("here")), ("/{{here}}./x", .dotSegment("here")),
    ("/.{{here}}/x", .dotSegment("here")),
    ("/{{up}}?a=1", .dotSegment("up")), ("/{{up}}#a", .dotSegment("up")),
    ("/{{nothing}}", .empty("nothing")),
  ]

  @Test func `a path that cannot be made is an error that says why`() {
    for (template, reason) in impossible {
      let error = #expect(throws: PathTemplateError.self) {
        try template.path(["id": 1, "up": "..", "here": ".", "nothing": ""])
      }
      #expect(error?.reason == reason && error?.template == template.text)
    }
    let error = #expect(throws: PathTemplateError.self) { try PathTemplate("/{{id}}").path() }
    #expect(error.map { "\($0)" } == "the path /{{id}} has no value for id")
  }

  @Test(arguments: ["/%2e{{dot}}/x", "/{{dot}}%2E", "/{{up}}/\u{301}x", "/{{up}}?\u{301}"])
  func `no spelling of a dot segment passes, nor does one before an accent`(template: String) {
    #expect(throws: PathTemplateError.self) { try PathTemplate(template).path(["dot": ".", "up": ".."]) }
  }

  @Test func `a place is a place also before an accent`() throws {
    #expect(try PathTemplate("/{{x}}\u{301}/\u{301}{{x}}").path(["x": "a"]) == "/a\u{301}/\u{301}a")
  }

  @Test func `RK-12: a value stands in its place`() throws {
    #expect(try PathTemplate("/{{id}}").path(["id": 42]) == "/42")
  }

  @Test func `RK-13, RK-14: values of a provider are used, and the request's own go first`() throws {
    let provider: [String: any Sendable & CustomStringConvertible] = ["id": "provider", "version": 2]
    let variables = provider.merging(["id": "request"]) { $1 }
    #expect(try PathTemplate("/v{{version}}/{{ id }}").path(variables) == "/v2/request")
  }

  @Test func `a value cannot leave its segment`() throws {
    #expect(try PathTemplate("/a/{{x}}/b").path(["x": "../c?d#e f%é"]) == "/a/..%2Fc%3Fd%23e%20f%25%C3%A9/b")
    #expect(try PathTemplate("/a/{{x}}").path(["x": "{{y}}"]) == "/a/%7B%7By%7D%7D")
    #expect(try PathTemplate("/a?in=/{{x}}").path(["x": ".."]) == "/a?in=/..")
    #expect(try PathTemplate("/{{x}}b/{{x}}.c").path(["x": "."]) == "/.b/..c")
    #expect(try PathTemplate("/plain").path() == "/plain")
  }
}
