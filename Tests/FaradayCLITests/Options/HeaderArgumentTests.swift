import Faraday
import Testing

@testable import FaradayCLI

@Suite struct HeaderArgumentTests {
  @Test(arguments: ["Name: a\r\nEvil: b", "Name: a\nb", "Name: a\rb", "Name: a\0b"])
  func `a value with a line break or NUL is refused`(_ text: String) throws {
    let argument = try HeaderArgument(text)
    #expect(#expect(throws: InvalidValueError.self) { try HTTPFields().overridden(by: [argument]) }?.kind == .header)
  }

  @Test(arguments: ["Na me: a", "Name\r\nEvil: b", ": a", "Näme: a", "Na me:", "a b;"])
  func `an invalid header name is refused`(_ text: String) throws {
    let argument = try HeaderArgument(text)
    #expect(#expect(throws: InvalidValueError.self) { try HTTPFields().overridden(by: [argument]) }?.kind == .header)
  }

  @Test(arguments: ["", "Name", "Name value"])
  func `an argument that is not a header is a usage error`(_ text: String) {
    #expect { try HeaderArgument(text) } throws: { ($0 as? CommandFailure)?.status == 2 }
  }

  @Test func `a missing file is a read error`() {
    #expect { try HeaderArgument.all(["@/nonexistent/file"]) } throws: { ($0 as? CommandFailure)?.status == 26 }
  }

  @Test func `the value follows the colon, without surrounding blanks`() throws {
    #expect(try HeaderArgument("Name: value") == HeaderArgument(name: "Name", value: "value"))
    #expect(try HeaderArgument("Name:\t a: b \t") == HeaderArgument(name: "Name", value: "a: b"))
    #expect(try HeaderArgument("Name: ;") == HeaderArgument(name: "Name", value: ";"))
  }

  @Test func `a semicolon sends an empty value, and a bare colon removes a default`() throws {
    #expect(try HeaderArgument("Name;") == HeaderArgument(name: "Name", value: ""))
    #expect(try HeaderArgument("Name:") == HeaderArgument(name: "Name", value: nil))
    #expect(try HeaderArgument("Name: ") == HeaderArgument(name: "Name", value: nil))
  }

  @Test func `a file has one header per line, with either line ending`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("A: 1\r\n\r\nB: 2\nC;\n", to: "headers")
    #expect(
      try HeaderArgument.all(["@" + path])
        == [HeaderArgument(name: "A", value: "1"), HeaderArgument(name: "B", value: "2"), HeaderArgument(name: "C", value: "")])
  }

  @Test func `an argument replaces the default of its name in any case, and repeated ones stay`() throws {
    let defaults: HTTPFields = [.accept: "*/*", .userAgent: "x"]
    let fields = try defaults.overridden(by: HeaderArgument.all(["accept: a", "ACCEPT: b", "User-Agent:", "X;"]))
    #expect(fields[values: .accept] == ["a", "b"])
    #expect(fields[.userAgent] == nil)
    #expect(fields.map(\.value) == ["a", "b", ""])
  }

  @Test(arguments: ["Authorization Bearer hunter2", "Authorization=hunter2", "hunter2"])
  func `an argument that is not a header is not shown`(text: String) {
    let error = #expect(throws: CommandFailure.self) { try HeaderArgument(text) }
    #expect(error?.message.contains("hunter2") == false)
  }
}
