import Faraday
import Testing

@testable import FaradayCLI

@Suite struct HeaderArgumentTests {
  @Test(arguments: ["Name: a\r\nEvil: b", "Name: a\nb", "Name: a\rb", "Name: a\0b"])
  func `a value with a line break or NUL is refused`(_ text: String) throws {
    let argument = try HeaderArgument(text)
    #expect(throws: InvalidHeader.self) { try HTTPFields().overridden(by: [argument]) }
  }

  @Test(arguments: ["Na me: a", "Name\r\nEvil: b", ": a", "Näme: a", "Na me:", "a b;"])
  func `a name that is no token is refused`(_ text: String) throws {
    let argument = try HeaderArgument(text)
    #expect(throws: InvalidHeader.self) { try HTTPFields().overridden(by: [argument]) }
  }

  @Test(arguments: ["", "Name", "Name value"])
  func `a text that is no header is a usage error`(_ text: String) {
    #expect { try HeaderArgument(text) } throws: { ($0 as? CommandFailure)?.status == 2 }
  }

  @Test func `a file that is not there is a read error`() {
    #expect { try HeaderArgument.all(["@/nonexistent/file"]) } throws: { ($0 as? CommandFailure)?.status == 26 }
  }

  @Test func `the value is what follows the colon, without the blanks around it`() throws {
    #expect(try HeaderArgument("Name: value") == .field(name: "Name", value: "value"))
    #expect(try HeaderArgument("Name:\t a: b \t") == .field(name: "Name", value: "a: b"))
    #expect(try HeaderArgument("Name: ;") == .field(name: "Name", value: ";"))
  }

  @Test func `a semicolon sends an empty value and a bare colon takes a default away`() throws {
    #expect(try HeaderArgument("Name;") == .field(name: "Name", value: ""))
    #expect(try HeaderArgument("Name:") == .without(name: "Name"))
    #expect(try HeaderArgument("Name: ") == .without(name: "Name"))
  }

  @Test func `a file has one header per line, with either line end`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("A: 1\r\n\r\nB: 2\nC;\n", to: "headers")
    #expect(
      try HeaderArgument.all(["@" + path])
        == [.field(name: "A", value: "1"), .field(name: "B", value: "2"), .field(name: "C", value: "")])
  }

  @Test func `an argument takes the default of its name away, in any case, and repeated ones stay`() throws {
    let defaults: HTTPFields = [.accept: "*/*", .userAgent: "x"]
    let fields = try defaults.overridden(by: HeaderArgument.all(["accept: a", "ACCEPT: b", "User-Agent:", "X;"]))
    #expect(fields[values: .accept] == ["a", "b"])
    #expect(fields[.userAgent] == nil)
    #expect(fields.map(\.value) == ["a", "b", ""])
  }

  @Test(arguments: ["Authorization Bearer hunter2", "Authorization=hunter2", "hunter2"])
  func `an argument that is no header is not shown`(text: String) {
    let error = #expect(throws: CommandFailure.self) { try HeaderArgument(text) }
    #expect(error?.message.contains("hunter2") == false)
  }
}
