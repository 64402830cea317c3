import FaradayHAL
import Testing

@Suite struct URITemplateTests {
  @Test(arguments: [
    ("{/id*", URITemplateError.Reason.unclosed, "{/id*", 0), ("a{", .unclosed, "{", 1), ("/id*}", .unopened, "}", 4),
    ("a{b}}", .unopened, "}", 4), ("/x{=path}", .reservedOperator, "{=path}", 2), ("{!hello}", .reservedOperator, "{!hello}", 0),
    ("{@a}", .reservedOperator, "{@a}", 0), ("{|var*}", .reservedOperator, "{|var*}", 0), ("{,a}", .reservedOperator, "{,a}", 0),
    ("é{}", .invalidVariable, "{}", 1), ("{?}", .invalidVariable, "{?}", 0), ("{/?id}", .invalidVariable, "{/?id}", 0),
    ("{??a}", .invalidVariable, "{??a}", 0), ("{with space}", .invalidVariable, "{with space}", 0),
    ("{ a}", .invalidVariable, "{ a}", 0), ("{a }", .invalidVariable, "{a }", 0), ("{$a}", .invalidVariable, "{$a}", 0),
    ("{*keys?}", .invalidVariable, "{*keys?}", 0), ("{?empty=default,var}", .invalidVariable, "{?empty=default,var}", 0),
    ("{a}{-prefix|/-/|b}", .invalidVariable, "{-prefix|/-/|b}", 3), ("{a,}", .invalidVariable, "{a,}", 0),
    ("{a,,b}", .invalidVariable, "{a,,b}", 0), ("{?x, y}", .invalidVariable, "{?x, y}", 0),
    ("{a..b}", .invalidVariable, "{a..b}", 0),
    ("{.a.}", .invalidVariable, "{.a.}", 0), ("{a%2}", .invalidVariable, "{a%2}", 0), ("{a%zz}", .invalidVariable, "{a%zz}", 0),
    ("{default-graph}", .invalidVariable, "{default-graph}", 0), ("{/a{b}}", .invalidVariable, "{/a{b}", 0),
    ("{é}", .invalidVariable, "{é}", 0), ("{a**}", .invalidVariable, "{a**}", 0), ("{a:prefix}", .invalidPrefix, "{a:prefix}", 0),
    ("{a:0}", .invalidPrefix, "{a:0}", 0), ("{a:01}", .invalidPrefix, "{a:01}", 0), ("{a:10000}", .invalidPrefix, "{a:10000}", 0),
    ("{a:}", .invalidPrefix, "{a:}", 0), ("{a:+1}", .invalidPrefix, "{a:+1}", 0), ("{a:١}", .invalidPrefix, "{a:١}", 0),
    ("{a:2*}", .invalidVariable, "{a:2*}", 0), ("a b", .invalidLiteral, " ", 1), ("a\"", .invalidLiteral, "\"", 1),
    ("a<b", .invalidLiteral, "<", 1), ("a\\b", .invalidLiteral, "\\", 1), ("50%", .invalidLiteral, "%", 2),
    ("%zz{a}", .invalidLiteral, "%", 0), ("a\r\nb", .invalidLiteral, "\r", 1), ("{a}^", .invalidLiteral, "^", 3),
  ])
  func `a malformed template is an error with the expression and its offset`(
    text: String, reason: URITemplateError.Reason, expression: String, offset: Int
  ) {
    let error = #expect(throws: URITemplateError.self) { try URITemplate(text) }
    #expect(error?.reason == reason && error?.expression == expression && error?.offset == offset)
  }

  @Test func `the description of an error is one line`() {
    let error = #expect(throws: URITemplateError.self) { try URITemplate("/a{b c\n}") }
    #expect(
      error.map { "\($0)" } == #"URI template: "{b c\n}" at offset 2 has a variable without a valid name"#)
  }

  @Test(arguments: ["{keys:1}", "{+keys:1}", "/a{?list:3}"])
  func `a prefix modifier on a list is an error`(text: String) throws {
    let template = try URITemplate(text)
    let error = #expect(throws: URITemplateError.self) { try template.expand(URITemplateTables.values) }
    #expect(error?.offset == (text.hasPrefix("/a") ? 2 : 0) && error?.expression == text.replacing("/a", with: ""))
    #expect([.prefixOfComposite("keys"), .prefixOfComposite("list")].contains(error?.reason))
  }

  @Test(arguments: URITemplateTables.all)
  func `the tables of RFC 6570 expand as given`(table: URITemplateTables.Table) throws {
    for (text, expanded) in table.rows {
      #expect(try URITemplate(text).expand(URITemplateTables.values) == expanded, "\(text)")
    }
  }

  @Test func `empty and undefined values leave nothing`() throws {
    for text in ["{x}", "{+x}", "{#x}", "{.x}", "{/x}", "{;x}", "{?x}", "{&x}", "{?x*}", "{/x*}", "{;x:3}"] {
      #expect(try URITemplate(text).expand() == "")
      #expect(try URITemplate(text).expand(["x": .list([])]) == "")
      #expect(try URITemplate(text).expand(["x": .pairs([])]) == "")
    }
    #expect(try URITemplate("{?x,y}").expand(["y": "", "z": "1"]) == "?y=")
    #expect(try URITemplate("{;x*}{?x*}").expand(["x": ["", "a"]]) == ";x;x=a?x=&x=a")
  }

  @Test func `percent-encoded triplets are kept only where reserved characters are`() throws {
    let values: [String: URITemplate.Value] = [
      "id": "admin%2F", "none": "%foo%", "list": ["red%25", "%2Fgreen", "blue "], "keys": ["a&b": "c=%3D"],
    ]
    #expect(try URITemplate("{+id}{#id}{id}").expand(values) == "admin%2F#admin%2Fadmin%252F")
    #expect(try URITemplate("{+none} {none}".replacing(" ", with: "-")).expand(values) == "%25foo%25-%25foo%25")
    #expect(try URITemplate("{+list}").expand(values) == "red%25,%2Fgreen,blue%20")
    #expect(try URITemplate("{list}").expand(values) == "red%2525,%252Fgreen,blue%20")
    #expect(try URITemplate("{?keys*}{+keys*}").expand(values) == "?a%26b=c%3D%253Da&b=c=%3D")
  }

  @Test func `a prefix modifier counts characters and splits none`() throws {
    let values: [String: URITemplate.Value] = ["word": "drücken", "path": "/%C3%BCa", "flags": "🇩🇪"]
    #expect(try URITemplate("{word:3}").expand(values) == "dr%C3%BC")
    #expect(try URITemplate("{+path:2}").expand(values) == "/%C3%BC")
    #expect(try URITemplate("{path:2}").expand(values) == "%2F%25")
    #expect(try URITemplate("{flags:1}").expand(values) == "%F0%9F%87%A9")
    #expect(try URITemplate("{word:9999}").expand(values) == "dr%C3%BCcken")
  }

  @Test func `names and literals can be percent-encoded, and literals are encoded if needed`() throws {
    let template = try URITemplate("/größe%20'{?Stra%C3%9Fe,last.name,42,a_b}")
    let uri = try template.expand(["Stra%C3%9Fe": "Grüner Weg", "last.name": "Doe", "42": 6, "a_b": "\(1 + 1)"])
    #expect(uri == "/gr%C3%B6%C3%9Fe%20'?Stra%C3%9Fe=Gr%C3%BCner%20Weg&last.name=Doe&42=6&a_b=2")
    #expect(template.variables == ["Stra%C3%9Fe", "last.name", "42", "a_b"])
    #expect(try URITemplate("{a}{?b,a*}").variables == ["a", "b"])
    #expect(try URITemplate("").expand() == "" && URITemplate("/plain").variables.isEmpty)
  }

  @Test func `a template can have many names, each of them twice`() throws {
    let names = (0..<100_000).map { "n\($0)" }
    let list = names.joined(separator: ",")
    #expect(try URITemplate("/{\(list)}{?\(list)}").variables == names)
  }
}
