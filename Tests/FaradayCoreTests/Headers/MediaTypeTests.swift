import FaradayCore
import Testing

@Suite struct MediaTypeTests {
  @Test(arguments: ["", "text", "/", "text/", "/html", "a/b/c", ";charset=utf-8", "a/b\r\nX: y", "a b/c"])
  func `invalid media types parse to nil`(text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test func `a media type is parsed with its parameters`() throws {
    let type = try #require(MediaType(" Text/HTML ; Charset=\"utf-8\"; title=\"a;\\\"b\\\"\"; broken; x = 1"))
    #expect(type.type == "text" && type.subtype == "html")
    #expect(type["charset"] == "utf-8" && type["TITLE"] == "a;\"b\"" && type["x"] == "1" && type["none"] == nil)
    #expect(type.description == "text/html; charset=utf-8; title=\"a;\\\"b\\\"\"; x=1")
  }

  @Test func `a parameter name is a token`() throws {
    let type = try #require(MediaType("a/b; =c; d e=f; g\u{1}=h; i=j; \"k\"=l"))
    #expect(type.parameters.map(\.name) == ["i"])
  }

  @Test(arguments: ["\u{301}", ";\u{301}x", "a\"\u{301};", "\\\u{301}", "=\u{301}"])
  func `a value with accents is parsed unchanged`(value: String) throws {
    let type = MediaType("a", "b", parameters: ["c": value, "d": "e"])
    let read = try #require(MediaType(type.description))
    #expect(read.parameters.map(\.value) == [value, "e"])
  }

  @Test func `a parameter cannot contain a line break`() {
    let type = MediaType("text", "plain", parameters: ["a": "b\r\nX: y"])
    #expect(type.description == "text/plain; a=\"b  X: y\"")
  }

  @Test func `RQ-28: a media type is written with and without parameters`() {
    #expect(MediaType("application", "json").description == "application/json")
    let type = MediaType("multipart", "form-data", parameters: ["boundary": "a b", "x": "y"])
    #expect(type.description == "multipart/form-data; boundary=\"a b\"; x=y")
  }

  @Test func `RQ-29: media types are compared without parameters and letter case`() {
    let types: Set<MediaType> = [.json, MediaType("Application", "JSON", parameters: ["charset": "utf-8"]), .form]
    #expect(types.count == 2)
  }

  @Test(arguments: [
    ("application/json", true), ("application/problem+json; a=b", true), ("text/json", true), ("text/plain", false),
  ])
  func `JSON is recognized by its name or its suffix`(text: String, isJSON: Bool) {
    #expect(MediaType(text)?.isJSON == isJSON)
  }

  @Test(arguments: [
    ("", ""), (" \t ", ""), ("a", "a"), (" a\tb\t", "a\tb"), ("\n a", "\n a"), (" \u{301}a \u{301}\t", "\u{301}a \u{301}"),
  ])
  func `spaces and tabs are trimmed before any character`(text: String, trimmed: String) {
    #expect(Array(text.trimming().utf8) == Array(trimmed.utf8))
  }

  @Test func `a comma ends a media type, even inside a combined character`() {
    var fields = HTTPFields()
    fields[.accept] = "text/a\u{06DD}, text/b"
    #expect(fields.accepted == ["text/a\u{06DD}", "text/b"])
    fields.accept("text/b")
    #expect(fields.accepted == ["text/a\u{06DD}", "text/b"])
  }
}
