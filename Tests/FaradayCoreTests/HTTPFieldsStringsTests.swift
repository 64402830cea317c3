import FaradayCore
import Testing

@Suite struct HTTPFieldsStringsTests {
  @Test(arguments: ["", "a b", "a\r\nb", "a:b", "ä", "a\0"])
  func `a name that is no token is refused`(name: String) {
    var fields = HTTPFields()
    #expect(throws: InvalidHeader.self) { try fields.set(name, "value") }
    #expect(throws: InvalidHeader.self) { try fields.add(name, "value") }
    #expect(fields.isEmpty)
  }

  @Test(arguments: ["a\r\nEvil: yes", "a\n", "\r", "nul\0"])
  func `a value that would end its line is refused, and is not in the message`(value: String) throws {
    var fields = HTTPFields()
    let error = try #require(throws: InvalidHeader.self) { try fields.set("X-Name", value) }
    #expect(error.name == "X-Name")
    #expect(!error.description.contains("Evil"))
    #expect(fields.isEmpty)
  }

  @Test(arguments: ["é", "a"])
  func `a name without end has one in the error`(letter: String) throws {
    let name = String(repeating: letter, count: 100_000)
    var fields = HTTPFields()
    let error = try #require(throws: InvalidHeader.self) { try fields.set(name, "\n") }
    #expect(error.name.utf8.count < 1100 && error.name.contains(name.prefix(500)) && error.description.utf8.count < 1300)
  }

  @Test(arguments: ["Authorization: Bearer hidden", "X-A:hidden"]) func `a line that is given as a name is not shown`(
    line: String
  ) throws {
    let error = try #require(throws: InvalidHeader.self) { try HTTPFields(checking: [line: ""]) }
    #expect(!error.description.contains("hidden") && error.name.contains(line.prefix { $0 != ":" }))
  }

  @Test func `more fields than there can be are an error`() throws {
    var fields = HTTPFields()
    for _ in 0..<65_534 { try fields.add("X-A", "") }
    #expect(throws: InvalidHeader.self) { try fields.add("X-A", "") }
    #expect(fields.count == 65_534)
  }

  @Test func `setting replaces, adding repeats`() throws {
    var fields = HTTPFields()
    try fields.set("X-Name", "1")
    try fields.set("x-name", "2")
    try fields.add("X-Name", "3")
    let name = try #require(HTTPField.Name("X-Name"))
    #expect(fields[values: name] == ["2", "3"])
  }

  @Test func `a field is read under its name as a string, whatever the case`() throws {
    let fields = try HTTPFields(checking: ["X-RateLimit-Remaining": "7", "Accept": "a", "accept": "b"])
    let name = "ACCEPT"
    #expect(fields["X-RateLimit-Remaining"] == "7" && fields["x-ratelimit-remaining"] == "7")
    #expect(fields[name] == "a, b" && fields[.accept] == "a, b")
    #expect(fields["X-Other"] == nil && fields["not a name"] == nil && fields[""] == nil)
    #expect(throws: InvalidHeader.self) { try HTTPFields(checking: ["A": "a", "B": "b\r\nc"]) }
  }
}
