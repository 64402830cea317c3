import FaradayCore
import Testing

@Suite struct HTTPFieldsStringsTests {
  @Test(arguments: ["", "a b", "a\r\nb", "a:b", "ä", "a\0"])
  func `an invalid field name is refused`(name: String) {
    var fields = HTTPFields()
    #expect(#expect(throws: InvalidValueError.self) { try fields.set(name: name, value: "value") }?.kind == .header)
    #expect(#expect(throws: InvalidValueError.self) { try fields.append(name: name, value: "value") }?.kind == .header)
    #expect(fields.isEmpty)
  }

  @Test(arguments: ["a\r\nEvil: yes", "a\n", "\r", "nul\0"])
  func `a value with a line break is refused and is not in the message`(value: String) throws {
    var fields = HTTPFields()
    let error = try #require(throws: InvalidValueError.self) { try fields.set(name: "X-Name", value: value) }
    #expect(error.kind == .header && error.value == "X-Name")
    #expect(!error.description.contains("Evil"))
    #expect(fields.isEmpty)
  }

  @Test(arguments: ["é", "a"])
  func `an endless field name is truncated in the error`(letter: String) throws {
    let name = String(repeating: letter, count: 100_000)
    var fields = HTTPFields()
    let error = try #require(throws: InvalidValueError.self) { try fields.set(name: name, value: "\n") }
    #expect(error.value.utf8.count < 1100 && error.value.contains(name.prefix(500)) && error.description.utf8.count < 1300)
  }

  @Test(arguments: ["Authorization: Bearer hidden", "X-A:hidden"]) func `a line that is passed as a name is not shown`(
    line: String
  ) throws {
    let error = try #require(throws: InvalidValueError.self) { try HTTPFields(checking: [line: ""]) }
    #expect(!error.description.contains("hidden") && error.value.contains(line.prefix { $0 != ":" }))
  }

  @Test func `too many fields are an error`() throws {
    var fields = HTTPFields()
    for _ in 0..<65_534 { try fields.append(name: "X-A", value: "") }
    #expect(#expect(throws: InvalidValueError.self) { try fields.append(name: "X-A", value: "") }?.kind == .header)
    #expect(fields.count == 65_534)
  }

  @Test func `setting replaces a field, and adding repeats it`() throws {
    var fields = HTTPFields()
    try fields.set(name: "X-Name", value: "1")
    try fields.set(name: "x-name", value: "2")
    try fields.append(name: "X-Name", value: "3")
    let name = try #require(HTTPField.Name("X-Name"))
    #expect(fields[values: name] == ["2", "3"])
  }

  @Test func `a field is read by name in any letter case`() throws {
    let fields = try HTTPFields(checking: ["X-RateLimit-Remaining": "7", "Accept": "a", "accept": "b"])
    let name = "ACCEPT"
    #expect(fields["X-RateLimit-Remaining"] == "7" && fields["x-ratelimit-remaining"] == "7")
    #expect(fields[name] == "a, b" && fields[.accept] == "a, b")
    #expect(fields["X-Other"] == nil && fields["not a name"] == nil && fields[""] == nil)
    #expect(#expect(throws: InvalidValueError.self) { try HTTPFields(checking: ["A": "a", "B": "b\r\nc"]) }?.kind == .header)
  }
}
